/** Quotes, brackets and keys that the message of a result is wrapped in, as JSON and as Python prints it. */
const FRAME =
  /^(?:\\[nrt]|<\/?(?:html|head|title|body|center|h1|tool_use_error)\b[^>]{0,80}>|[\s\W]|(?:none|null)\b|(?:_?meta|text|textcontent|type|content|message|output|detail|annotations)(?=\\{0,15}["'=:(]))*/i;

/** A result from the first word of its message on. */
export function unframed(text: string): string {
  return text.replace(FRAME, '');
}
