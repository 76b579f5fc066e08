# What the blog knows. All of it stays in memory between requests: about a
# thousand objects a post, which the collector goes through at each collection.
class Blog
  Post = Struct.new(:number, :title, :author, :published, :tags, :paragraphs, :comments)
  Comment = Struct.new(:author, :text)

  attr_reader :posts # newest first

  def initialize(size)
    writer = Writer.new
    @posts = (1..size).map { |number| writer.post(number) }.reverse
  end

  def newest(count)
    @posts[0, count]
  end

  # The posts that begin with the most words in common with one, the best first.
  def related(post, count)
    words = post.paragraphs.first
    others = @posts.reject { |other| other.equal?(post) }
    others.sort_by { |other| [-(other.paragraphs.first & words).size, -other.number] }[0, count]
  end

  def posts_by_month
    months = Hash.new(0)
    @posts.each { |post| months[post.published.strftime('%Y-%m')] += 1 }
    months.sort.reverse
  end

  def posts_by_tag
    tags = Hash.new(0)
    @posts.each { |post| post.tags.each { |tag| tags[tag] += 1 } }
    tags.sort
  end
end

# Makes up the same posts on every Ruby: a generator of its own takes the place
# of Kernel#rand.
class Writer
  PARAGRAPHS = 12
  WORDS = 60      # a paragraph
  COMMENTS = 60   # a post
  DAY = 24 * 60 * 60
  AUTHORS = %w(Agnes Bruno Clara Dimitri Emma Farid)
  TAGS = %w(bread bicycles gardens harbours letters maps mills orchards radio rivers weather winter)
  VOCABULARY = %w(
    and the under over along beside between toward without every another nobody
    old narrow bright heavy quiet broken early wooden "fresh" <plain> salt&pepper
    bakery bridge captain cellar clock corner engine ferry fence garden hammer
    kettle ladder lantern market meadow mirror neighbour orchard parcel postman
    river saddle station stone summer tower valley village wagon window winter
    asks bakes brings builds carries counts crosses finds follows keeps mends
    opens paints remembers returns sells sends waits don't won't *always* *never* _almost_
  )

  def initialize
    @state = 2008
  end

  def post(number)
    Blog::Post.new(number, sentence(6), pick(AUTHORS), Time.at(1_200_000_000 + number * 3 * DAY).utc,
                   pick_some(TAGS, 3), several(PARAGRAPHS) { several(WORDS) { pick(VOCABULARY).dup } },
                   several(COMMENTS) { Blog::Comment.new(pick(AUTHORS), sentence(40)) })
  end

  private

  def sentence(words)
    several(words) { pick(VOCABULARY) }.join(' ').capitalize + '.'
  end

  def several(count)
    (1..count).map { yield }
  end

  def pick_some(list, count)
    several(count) { pick(list) }.uniq
  end

  def pick(list)
    list[below(list.size)]
  end

  # A linear congruential generator; its low bits are too regular to be used.
  def below(limit)
    @state = (@state * 1_103_515_245 + 12_345) % 2_147_483_648
    (@state >> 12) % limit
  end
end
