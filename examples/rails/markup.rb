# frozen_string_literal: true

require "erb"

# A small markup language: blocks are separated by blank lines, "# " starts a
# heading, "- " an item of a list, *stars* emphasise and `backticks` are code.
module Markup
  Block = Struct.new(:tag, :spans)
  Span = Struct.new(:tag, :words)

  SPAN = /\*[^*]+\*|`[^`]+`|[^*`]+/.freeze
  PREFIXES = { "# " => "h3", "- " => "li" }.freeze

  def self.parse(text)
    text.split("\n\n").map { |block| parse_block(block) }
  end

  def self.parse_block(text)
    tag = PREFIXES.fetch(text[0, 2], "p")
    text = text[2..-1] unless tag == "p"
    Block.new(tag, text.scan(SPAN).map { |span| parse_span(span) })
  end

  def self.parse_span(text)
    case text[0]
    when "*" then Span.new("em", text[1..-2].split)
    when "`" then Span.new("code", text[1..-2].split)
    else Span.new(nil, text.split)
    end
  end

  def self.to_html(blocks)
    blocks.map { |block| "<#{block.tag}>#{spans_to_html(block.spans)}</#{block.tag}>" }.join("\n").html_safe
  end

  def self.spans_to_html(spans)
    spans.map do |span|
      text = span.words.map { |word| ERB::Util.html_escape(word) }.join(" ")
      span.tag ? "<#{span.tag}>#{text}</#{span.tag}>" : text
    end.join(" ")
  end
end
