require 'erb'

# The pages: each template of views/ is a method.
class Pages
  ADDRESSES = { '/up' => :up, '/simple' => :simple_page, '/blog' => :blog_page, '/article' => :article_page }
  ON_HOME = 10 # posts
  RELATED = 10 # posts
  MARKS = { '*' => 'strong', '_' => 'em' }
  ENTITIES = [[/&/, '&amp;'], [/</, '&lt;'], [/>/, '&gt;'], [/"/, '&quot;'], [/'/, '&rsquo;']]

  { 'layout' => 'layout(title)', 'simple' => 'simple(posts)', 'blog' => 'blog(posts)',
    'article' => 'article(post, others)', 'post' => 'post(post)', 'sidebar' => 'sidebar' }.each do |file, method|
    path = File.join(File.dirname(File.expand_path(__FILE__)), 'views', file + '.html.erb')
    ERB.new(File.read(path)).def_method(self, method, path)
  end

  def initialize(blog)
    @blog = blog
  end

  def up
    'up'
  end

  def simple_page
    layout('A simple page') { simple(@blog.newest(3)) }
  end

  def blog_page
    layout('Newest posts') { blog(@blog.newest(ON_HOME)) }
  end

  def article_page
    newest = @blog.newest(1).first
    layout(newest.title) { article(newest, @blog.related(newest, RELATED)) }
  end

  private

  # That of ERB answers differently from one Ruby to another.
  def h(text)
    ENTITIES.inject(text) { |html, (character, entity)| html.gsub(character, entity) }
  end

  # Paragraphs of words to HTML. As in much code of 2008, each step makes a new
  # string of all that is there already: most of the garbage comes from here.
  def marked_up(paragraphs)
    html = ''
    paragraphs.each do |words|
      html += '<p>'
      words.each { |word| html += mark_up(word) + ' ' }
      html += "</p>\n"
    end
    html
  end

  # *strong* and _emphasised_ words.
  def mark_up(word)
    tag = MARKS[word[0, 1]]
    tag ? "<#{tag}>#{h(word[1..-2])}</#{tag}>" : h(word)
  end

  def date(time)
    time.strftime('%d %B %Y')
  end
end
