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
      measure_time
      trap('PWR') { report }
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
      when 'profiler' then @profiled
      end
    end

    # Takes what the profiler has recorded since the last time. From 2.1 on its
    # records are the one place where Ruby tells of each collection, and not of
    # the latest alone, why it ran. Where the profiler is not needed for the time
    # it is turned on at the first report, so that a program that is never asked
    # does not keep records.
    def harvest
      return unless @clock == 'profiler' || tells_reasons?
      # A program that profiles itself keeps its records; ours take some 70 bytes
      # each.
      @ours = @clock == 'profiler' || !GC::Profiler.enabled? if @ours.nil?
      count_reasons if tells_reasons?
      @profiled += GC::Profiler.total_time if @clock == 'profiler'
      GC::Profiler.clear if @ours
      GC::Profiler.enable unless GC::Profiler.enabled?
    end

    def tells_reasons?
      GC.respond_to?(:latest_gc_info) && defined?(GC::Profiler) && GC::Profiler.respond_to?(:raw_data)
    end

    def count_reasons
      records = GC::Profiler.raw_data
      return if records.nil? # it is off
      @read = 0 if @ours || @read > records.size # the program has cleared them
      records[@read..-1].each do |record|
        flags = record[:GC_FLAGS] || {}
        bump("started.#{flags[:gc_by]}") if flags[:gc_by]
        bump("major.#{flags[:major_by]}") if flags[:major_by]
      end
      @read = records.size
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
      harvest
      all = [['pid', $$], ['ruby', description], ['clock', @clock]]
      time = seconds
      all << ['gc_time_seconds', time] if time
      count = collections
      all << ['gc_count', count] if count
      all + reasons + statistics + environment
    end

    def reasons
      return [] unless tells_reasons?
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
