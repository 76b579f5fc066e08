# frozen_string_literal: true

require "date"
require "fileutils"
require "sqlite3"
require "tmpdir"

# Builds the blog's database at the first start: the same posts everywhere,
# since everything comes from one seeded generator.
module Seeds
  VERSION = 1 # part of the file's name: a new one when what is written changes
  AUTHORS = %w[Ada Barbara Edsger Grace Ken Niklaus].freeze
  POSTS = 300
  COMMENTS_PER_POST = 8
  BLOCKS_PER_POST = 24
  WORDS = %w[
    a the some each another old young quick patient quiet large small first last
    heap slot page object string table row index cache request thread worker
    process server sweep mark bit barrier root pointer field value memory byte
    grows shrinks moves waits starts ends keeps frees fills reads writes finds
    before after under over between with without and or but while until
    slowly quickly seldom often always never again once twice today
  ].freeze
  TAGS = %w[memory speed tables threads tools history testing letters].freeze
  SCHEMA = <<~SQL
    CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE posts (id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES authors,
      title TEXT NOT NULL, tags TEXT NOT NULL, body TEXT NOT NULL, published_on DATE NOT NULL);
    CREATE TABLE comments (id INTEGER PRIMARY KEY, post_id INTEGER NOT NULL REFERENCES posts,
      name TEXT NOT NULL, body TEXT NOT NULL);
    CREATE INDEX posts_by_date ON posts (published_on);
    CREATE INDEX comments_by_post ON comments (post_id);
  SQL

  # The database's file, built when there is none: by another process, so that
  # the heap of the first server is like that of every later one. Servers that
  # start at the same time each build a file and rename it; all are equal.
  def self.database_path
    path = File.join(directory, "blog-#{VERSION}.sqlite3")
    return path if File.size?(path) # an empty one is what SQLite makes of none

    draft = "#{path}.#{Process.pid}"
    FileUtils.rm_f(draft)
    system(RbConfig.ruby, __FILE__, draft, exception: true)
    File.rename(draft, path)
    path
  end

  # tmp/ beside this file, or this user's own folder for temporary files where
  # the application lies on a file system that cannot be written.
  def self.directory
    beside = File.join(__dir__, "tmp")
    FileUtils.mkdir_p(beside)
    raise Errno::EACCES, beside unless File.writable?(beside)

    beside
  rescue Errno::EACCES, Errno::EROFS
    private_temporary_directory
  end

  def self.private_temporary_directory
    path = File.join(Dir.tmpdir, "gctune-example-#{Process.euid}")
    FileUtils.mkdir_p(path, mode: 0o700)
    raise "#{path} belongs to somebody else: remove it, or set TMPDIR" unless File.owned?(path)

    path
  end

  def self.build(path)
    database = SQLite3::Database.new(path)
    database.execute_batch(SCHEMA)
    database.transaction { fill(database, Random.new(1)) }
  ensure
    database&.close
  end

  def self.fill(database, random)
    AUTHORS.each { |name| database.execute("INSERT INTO authors (name) VALUES (?)", [name]) }
    (1..POSTS).each do |id|
      insert_post(database, random, id)
      COMMENTS_PER_POST.times { insert_comment(database, random, id) }
    end
  end

  def self.insert_post(database, random, id)
    row = [id, 1 + random.rand(AUTHORS.size), words(random, 5).capitalize,
           TAGS.sample(2, random: random).join(" "), body(random), (Date.new(2020, 1, 1) + id * 3).to_s]
    database.execute("INSERT INTO posts (id, author_id, title, tags, body, published_on) VALUES (?, ?, ?, ?, ?, ?)", row)
  end

  def self.insert_comment(database, random, post_id)
    row = [post_id, AUTHORS.sample(random: random), sentence(random)]
    database.execute("INSERT INTO comments (post_id, name, body) VALUES (?, ?, ?)", row)
  end

  def self.body(random)
    Array.new(BLOCKS_PER_POST) do |i|
      case i % 6
      when 0 then "# #{words(random, 4).capitalize}"
      when 4 then "- #{sentence(random)}"
      else Array.new(3) { sentence(random) }.join(" ")
      end
    end.join("\n\n")
  end

  def self.sentence(random)
    "#{words(random, 7).capitalize} *#{words(random, 2)}* #{words(random, 5)} `#{words(random, 1)}` #{words(random, 3)}."
  end

  def self.words(random, count)
    Array.new(count) { WORDS.sample(random: random) }.join(" ")
  end
end

Seeds.build(ARGV.fetch(0)) if $PROGRAM_NAME == __FILE__
