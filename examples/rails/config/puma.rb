# frozen_string_literal: true

# No port and no bind here: the command line gives it (`puma -b tcp://127.0.0.1:3000`).
environment "production"

# One thread, so that the CPU time and the garbage of a request are its own.
thread_count = Integer(ENV.fetch("RAILS_MAX_THREADS", "1"))
threads thread_count, thread_count

# WEB_CONCURRENCY=0 is a single process. Workers share the pages of the
# application that is loaded before they are forked.
worker_count = Integer(ENV.fetch("WEB_CONCURRENCY", "0"))
workers worker_count
preload_app! if worker_count.positive?
