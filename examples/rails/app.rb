# frozen_string_literal: true

# A blog of a few hundred posts: a Rails application in production mode that
# needs no Bundler, no network and no set-up. `puma` in this folder starts it.

ENV["RAILS_ENV"] = "production" # the only environment there is
ENV.delete("DATABASE_URL")      # it would take the place of config/database.yml

require "logger" # Rails before 7.1 expects somebody else to have loaded it
require "rails"
require "active_record/railtie"
require "action_controller/railtie"
require "action_view/railtie"

require_relative "markup"
require_relative "seeds"

class BlogApplication < Rails::Application
  config.root = __dir__
  config.load_defaults Rails::VERSION::STRING.to_f
  config.eager_load = true
  config.paths["app/views"] = "views"
  config.public_file_server.enabled = false
  config.secret_key_base = "an example keeps no secrets" * 4
  # Clients of HTTP/1.0, such as ab, need the length to keep a connection open.
  config.middleware.insert_before 0, Rack::ContentLength
  # Errors are worth a line; a line for each request would fill the disk.
  config.logger = ActiveSupport::TaggedLogging.new(Logger.new($stderr))
  config.log_level = :error
end

# First of all: models and controllers take their settings from it as they are defined.
BlogApplication.initialize!

class ApplicationRecord < ActiveRecord::Base
  self.abstract_class = true
end

class Author < ApplicationRecord
  has_many :posts
end

class Post < ApplicationRecord
  belongs_to :author
  has_many :comments
  scope :newest_first, -> { order(published_on: :desc, id: :desc) }
end

class Comment < ApplicationRecord
  belongs_to :post
end

# What the process keeps in memory between requests: each post's body, parsed.
# These objects are old by the first request. The collector marks them again
# at every major collection, as it does with any application's caches.
module Library
  @documents = {}

  def self.load
    @documents = Post.pluck(:id, :body).to_h { |id, body| [id, Markup.parse(body)] }
  end

  def self.document(post)
    @documents.fetch(post.id)
  end
end

class ApplicationController < ActionController::Base
  layout "application"
end

class TestController < ApplicationController
  # Ready means that a request gets through Rails, not only that a port is open.
  def up
    render plain: "up"
  end

  def index
    @verbs = %w[get post put patch delete]
  end
end

class BlogController < ApplicationController
  POSTS_PER_PAGE = 10

  def index
    @posts = Post.newest_first.includes(:author, :comments).limit(POSTS_PER_PAGE)
    load_sidebar
  end

  def article
    @post = Post.newest_first.includes(:author, :comments).first
    @others = @post.author.posts.newest_first.where.not(id: @post.id).limit(20)
    load_sidebar
  end

  private

  def load_sidebar
    @archive = Post.newest_first.pluck(:published_on).group_by(&:beginning_of_month)
    @tags = Post.pluck(:tags).flat_map(&:split).tally.sort
  end
end

BlogApplication.routes.draw do
  get "/up", to: "test#up"
  get "/test/index", to: "test#index"
  get "/blog", to: "blog#index"
  get "/blog/article", to: "blog#article"
end

Library.load
# A worker opens its own connection: SQLite's must not be carried over a fork.
ActiveRecord::Base.connection_pool.disconnect!
