worker_processes 2
preload_app true
