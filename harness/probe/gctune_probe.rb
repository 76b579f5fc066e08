# Reports the garbage collector's counters of a live process when it is asked
# to by a signal. Loaded with RUBYOPT=-r into every Ruby process of a server, so
# it must stay valid and harmless from Ruby 1.8.7 on: it requires nothing, takes
# one signal that servers leave alone, and never raises into the program.
module GctuneProbe
  class << self
    def start
      @dir = ENV['GCTUNE_PROBE_DIR']
      return if @dir.nil? || @dir.empty?
      @environment = collector_environment
      @profiled = 0.0
      @reasons = {}
      @read = 0
      @recording = @own_log = @base = @invoked = @sentinel = nil # -w warns of what has no value yet
      measure_time
      begin_log
      trap('PWR') { report }
      at_exit { report } if ENV['GCTUNE_PROBE_AT_EXIT'] == '1'
    rescue StandardError
      nil # a Ruby without this signal is measured without reports
    end

    private

    # The variables as they were at start, which is when the collector read
    # them: later changes of ENV have no effect on it.
    def collector_environment
      found = {}
      ENV.each do |name, value|
        if name =~ /\A(RUBY_GC_|RUBY_HEAP_|RUBY_FREE_MIN\z|MMTK_|MALLOC_|LD_PRELOAD\z)/
          found[name] = value
        end
      end
      found
    end

    # Turns on whatever counts the collector's time where nothing does so by
    # itself: statistics of the patched Rubies, the profiler from 1.9 to 3.0.
    def measure_time
      if GC.respond_to?(:total_time)
        @clock = 'total_time'
      elsif GC.respond_to?(:enable_stats) && GC.respond_to?(:time)
        GC.enable_stats
        @clock = 'enable_stats'
      elsif defined?(GC::Profiler)
        GC::Profiler.enable
        @clock = 'profiler'
      else
        @clock = 'none'
      end
    end

    def seconds
      case @clock
      when 'total_time' then GC.total_time / 1e9
      when 'enable_stats' then GC.time / 1e6
      when 'profiler' then @profiled + GC::Profiler.total_time
      end
    end

    # A log of all collections, of which the reports give the state and a file of
    # the process's own the lines. It begins here: of what ran before only the
    # number is known. The profiler keeps some 70 bytes of each collection until
    # the next report; a process that gctune does not ask is not to collect them.
    def begin_log
      @pid = $$
      @pending = '' # what the file does not have yet
      @logged = 0 # collections, those that are lost included
      @written = 0 # bytes
      @kept = 0 # of the profiler's records, those that are in the log
      if own_log?
        begin_own_log
      elsif tells_of_each? && (@clock == 'profiler' || asked?)
        @ours = @clock == 'profiler' || !GC::Profiler.enabled?
        GC::Profiler.enable unless GC::Profiler.enabled?
        @recording = true
        leave_to_program unless @clock == 'profiler'
        harvest
      elsif sweeps_lazily?
        begin_watch
      end
      @begun = @logged
    rescue StandardError
      @recording = false
    end

    # 1.9.3 and 2.0 have a record of each step of a sweep, and too many of them. What
    # GC.stat says of the latest collection is read as it sweeps, by the finalizers of
    # objects that nothing holds. There are some: a stray word on the stack can hold one.
    SENTINELS = 3

    def sweeps_lazily?
      @clock == 'profiler' && !tells_reasons? && asked?
    end

    def begin_watch
      @sentinel = method(:swept).to_proc
      @seen = @logged = GC.count
      at_exit { @sentinel = nil } # else there is no end to the finalizers that run at exit
      note('now', GC.stat)
      SENTINELS.times { watch }
    end

    def watch
      ObjectSpace.define_finalizer(Object.new, @sentinel) if @sentinel
    end

    def swept(_id)
      stat = GC.stat
      if stat[:count] != @seen
        @seen = stat[:count]
        note('seen', stat) if @seen <= MOST_LOGGED
      end
      watch
    rescue StandardError
      nil
    end

    # The heap as it is, with the time: slots that a sweep has found free or that were
    # added since it began, and objects allocated and freed since the start, which 1.9.3
    # does not count. A finalizer may run at any line here: lines are added in one step.
    def note(key, stat)
      line = format("%s %d %d %d %d %d %d %.4f", key, stat[:count], stat[:heap_used], stat[:heap_live_num],
                         stat[:heap_free_num], stat[:total_allocated_object] || -1, stat[:total_freed_object] || -1, Time.now.to_f)
      if key == 'now'
        objects = ObjectSpace.count_objects
        line << format(" %d %d %.6f", objects[:TOTAL], objects[:FREE], seconds || 0)
      end
      @pending << (line << "\n")
    end

    # The profiler of 2.0 has records, too: one of each step of a sweep.
    def tells_of_each?
      defined?(GC::Profiler) && GC::Profiler.respond_to?(:raw_data) && tells_reasons?
    end

    # A program that profiles itself keeps its records, from when it begins to.
    def leave_to_program
      probe = self
      theirs = Module.new do
        define_method(:enable) do
          probe.instance_variable_set(:@ours, false)
          super()
        end
      end
      GC::Profiler.singleton_class.send(:prepend, theirs)
    end

    # Only processes of this program are asked for reports.
    def asked?
      program = ENV['GCTUNE_PROBE_PROGRAM'].to_s
      program.empty? || File.readlink('/proc/self/exe') == program
    rescue StandardError
      false
    end

    # Takes what the profiler has recorded since the last time. From 2.1 on its
    # records are the one place where Ruby tells of each collection, and not of
    # the latest alone, why it ran. A collection may begin at any line here: nothing
    # is cleared, and nothing said of the heap, unless none has begun since the records
    # were read.
    def harvest
      return count_sweeps unless @recording
      records = GC::Profiler.raw_data
      return unrecorded if records.nil?
      @invoked = records[-1][:GC_INVOKE_TIME] unless records.empty?
      recount(records)
      stat = GC.stat
      state = tells_reasons? && GC.latest_gc_info[:state]
      time = GC::Profiler.total_time
      settled = GC.count - @base == records.size
      finished = records.size
      if records.size > @kept && records[-1][:HEAP_TOTAL_OBJECTS].to_i == 0
        finished -= 1 unless settled && state == :sweeping && sweeping(records[-1], stat)
      end
      last, new = @base + finished, records[@kept...finished]
      unread = records[@read..-1]
      @kept = finished
      @read = records.size
      forget(time) if @ours && finished == records.size && GC.count - @base == records.size
      count_reasons(unread)
      log(new, last, stat)
    rescue StandardError
      @recording = false # the reports are worth more than the log
    end

    def count_sweeps
      forget(GC::Profiler.total_time) if @clock == 'profiler'
      return unless @sentinel
      stat = GC.stat
      @logged = stat[:count]
      note('now', stat)
    end

    # The program has turned the profiler off: what has run meanwhile is lost.
    def unrecorded
      @read = @kept = 0
      @base = GC.count
      log([], @base, GC.stat)
    end

    # Finds the number of collections that had begun before the first of the records.
    # The program may have cleared them.
    def recount(records)
      cleared = @read > records.size
      @read = @kept = 0 if cleared
      @base = GC.count - records.size if cleared || !@ours || @base.nil?
    end

    # Completes the record of a collection that sweeps still: of its heap it tells as
    # it ends. What is live then is what was marked.
    def sweeping(record, stat)
      limit = slots_of_page
      return false unless limit && stat[:heap_allocated_pages] && stat[:heap_marked_slots]
      record[:HEAP_TOTAL_OBJECTS] = record[:HEAP_TOTAL_SIZE] = stat[:heap_allocated_pages] * limit
      record[:HEAP_USE_SIZE] = stat[:heap_marked_slots]
      true
    end

    def forget(time)
      GC::Profiler.clear
      @base = GC.count if @recording
      @profiled += time if @clock == 'profiler'
      @read = @kept = 0
    end

    # More would make a large file of a program that collects all the time.
    MOST_LOGGED = 20_000

    # Adds collections to the log, up to that with a number. What Ruby has counted and
    # nobody has seen, since it ran before the log began or the program has cleared it,
    # is lost.
    def log(records, number, stat)
      lost = number - @logged - records.size
      lines = lost > 0 ? ["lost #{lost}\n"] : []
      @logged += lost if lost > 0
      room = [MOST_LOGGED - @logged, 0].max
      lines.concat(records[0, room].map { |record| logged(record) })
      @logged += records.size
      @pending += (lines << heap(stat)).join
    end

    # A forked process goes on with the log of its parent, as it was then.
    def continue_log
      return if @pid == $$
      @pending = "parent #{@pid} #{@written}\n#{@pending}" if @written > 0
      @pid = $$
      @written = 0
      @invoked = nil # its CPU clock begins anew
    end

    # See gc_prof_set_heap_info in Ruby's gc.c: the size in use is the slots that are
    # live after the sweep times the size of the smallest slots, and the number of
    # objects is that of pages times the most slots that one has.
    def logged(record)
      total = record[:HEAP_TOTAL_OBJECTS].to_i
      size = record[:HEAP_TOTAL_SIZE].to_i
      live = size > 0 ? record[:HEAP_USE_SIZE] * total / size : 0
      flags = record[:GC_FLAGS] || {}
      by = flags[:gc_by] || '-'
      major = flags[:major_by] || '-'
      format("gc %d %d %.6f %s %s\n", total, live, record[:GC_TIME].to_f, by, major)
    end

    # How many slots the pages have that there are now.
    def heap(stat)
      limit = slots_of_page
      pages = stat[:heap_allocated_pages]
      slots = stat[:heap_available_slots]
      limit && pages && slots ? "heap #{pages * limit} #{slots}\n" : ''
    end

    # The most that a page has: those of the smallest size.
    def slots_of_page
      constants = defined?(GC::INTERNAL_CONSTANTS) ? GC::INTERNAL_CONSTANTS : {}
      constants[:HEAP_PAGE_OBJ_LIMIT] || constants[:HEAP_OBJ_LIMIT]
    end

    def write_log
      return if @pending.empty? || @written > 80 * MOST_LOGGED
      path = File.join(@dir, "collections-#{$$}")
      text, @pending = @pending, '' # what comes meanwhile is for the next time
      File.open(path, @written == 0 ? 'w' : 'a') { |file| file.write(text) }
      @written += text.length
    rescue StandardError
      @recording = false
    end

    # Patched Rubies before 2.1 write a log themselves. Its path is for this process
    # alone: a child that opened it, too, would truncate it.
    def own_log?
      path = ENV['RUBY_GC_DATA_FILE']
      @clock == 'enable_stats' && GC.respond_to?(:log) && path && File.dirname(path) == @dir
    end

    def begin_own_log
      @own_path = ENV['RUBY_GC_DATA_FILE']
      @own_log = $$ # a forked process writes into the same file, and cannot be told apart
      GC.log("gctune begins #{$$}")
      ENV['RUBY_GC_DATA_FILE'] = File.join(@dir, "gc-data-below-#{$$}")
    end

    # A mark in the log, and as much behind it as makes the C library write it. No
    # collection can come between the mark and the count. A program that has turned
    # statistics off has it neither count nor log.
    def own_log
      return [] unless @own_log == $$
      off = !GC.enable_stats
      GC.disable_stats if off
      @mark = (@mark || 0) + 1
      mark = "gctune mark #{@mark}"
      count = GC.collections
      GC.log(mark)
      GC.log(' ' * 8192)
      [['own_log', @own_path], ['own_log_mark', @mark], ['own_log_count', off ? -1 : count]]
    end

    def collections_log
      return own_log unless @recording || @sentinel
      [['logged', @logged], ['begun', @begun], ['log_bytes', @written]]
    end

    def tells_reasons?
      GC.respond_to?(:latest_gc_info)
    end

    def count_reasons(records)
      records.each do |record|
        flags = record[:GC_FLAGS] || {}
        bump("started.#{flags[:gc_by]}") if flags[:gc_by]
        bump("major.#{flags[:major_by]}") if flags[:major_by]
      end
    end

    def bump(reason)
      @reasons[reason] = (@reasons[reason] || 0) + 1
    end

    def report
      path = File.join(@dir, "report-#{$$}")
      text = lines.map { |key, value| "#{key} #{escape(value)}\n" }.join
      File.open(path + '.part', 'w') { |file| file.write(text + "end 1\n") }
      File.rename(path + '.part', path)
    rescue StandardError
      nil # the reader waits in vain, the program goes on
    end

    def lines
      continue_log
      harvest
      write_log
      all = [['pid', $$], ['ruby', description], ['clock', @clock]]
      time = seconds
      all << ['gc_time_seconds', time] if time
      count = collections
      all << ['gc_count', count] if count
      all + collections_log + cycle + memory + reasons + statistics + environment
    end

    # Where in the collector's cycle the process is, by its CPU clock, which is the
    # one of the profiler's records.
    def cycle
      return [] unless @recording && @invoked && defined?(Process::CLOCK_PROCESS_CPUTIME_ID)
      now = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
      [['cpu_seconds', now], ['gc_invoked_cpu_seconds', @invoked]]
    end

    # Of a process that ends there is nobody else to read it.
    def memory
      return [] unless ENV['GCTUNE_PROBE_AT_EXIT'] == '1'
      status = File.read('/proc/self/status')
      [['rss_bytes', 'VmRSS'], ['peak_rss_bytes', 'VmHWM']].map do |key, name|
        [key, status[/^#{name}:\s*(\d+) kB/, 1].to_i * 1024]
      end
    rescue StandardError
      []
    end

    def reasons
      return [] unless @recording && tells_reasons?
      [['reasons', 1]] + pairs('reason', @reasons)
    end

    def description
      defined?(RUBY_DESCRIPTION) ? RUBY_DESCRIPTION : "ruby #{RUBY_VERSION}"
    end

    def collections
      if GC.respond_to?(:count)
        GC.count
      elsif GC.respond_to?(:collections)
        GC.collections
      end
    end

    def statistics
      all = []
      all.concat(pairs('stat', GC.stat)) if GC.respond_to?(:stat)
      all.concat(pairs('info', GC.latest_gc_info)) if GC.respond_to?(:latest_gc_info)
      if GC.respond_to?(:stat_heap)
        GC.stat_heap.each { |heap, stat| all.concat(pairs("heap.#{heap}", stat)) }
      end
      all
    end

    def environment
      @environment.map { |name, value| ["env.#{name}", value] }
    end

    def pairs(prefix, hash)
      hash.map { |name, value| ["#{prefix}.#{name}", value] }
    end

    # One line a value, whatever is in it.
    def escape(value)
      value.to_s.gsub('%', '%25').gsub("\n", '%0A').gsub("\r", '%0D')
    end
  end
end

GctuneProbe.start
