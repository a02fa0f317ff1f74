/*
 * Secrets that something beside them names: a key, a flag, a header, a query parameter, the form of a command. Whether a value is
 * a secret or a variable, a type or a placeholder depends on where it stands and how it looks; quoted values need no such look.
 */
/** Names of secrets. */
const NAME =
  '(?:pass(?:word|wd|phrase|code)|pwd|secret(?:[_ -]?access)?(?:[_ -]?key)?(?:[_-]?base)?|token|(?:api|app|access|account|auth|private|encryption|signing|master|subscription|deploy|license|storage|service|webhook)[_ -]?key|client-key-data|connection[_-]?string|authorization|credentials?|_auth|session[_-]?key|[jp]h?p?sess(?:ion)?id|(?:set-)?cookie)';
/** Words after a name that leave it one. */
const SUFFIX = '(?:[_-]?(?:value|default|prod(?:uction)?|live|dev|staging|test|primary|secondary|\\d{1,3}))?';

/** The key of a quoted value, at whatever depth of nested JSON. */
const QUOTED_KEY = `(?:${NAME}${SUFFIX}|(?:db|sql|user|admin|mail|smtp)_pass)(?:\\\\{0,15}["']\\]?)?(?:: ?[&\\w[\\]]{2,24}(?= =))?\\s{0,9}(?:=>|:=|[:=])`;

/**
 * A quoted value after such a key. In nested JSON the quotes are escaped: the value ends at a quote with as many backslashes as
 * its opening quote, so that an escaped quote inside does not end it.
 */
const QUOTED = new RegExp(
  `(${QUOTED_KEY}\\s{0,9}(?:b|\\[\\s?|(?:Some|Optional|SecretStr)\\()?(\\\\{0,15})(["']))(?!\\2\\3)([\\s\\S]+?)(?=(?<!\\\\)\\2\\3|$)`,
  'gi',
);

/** An unquoted value, or one after an encoded `=`. */
const UNQUOTED = new RegExp(
  `(${NAME}${SUFFIX}|[_-]pass|(?<=[?&;])(?:sig|signature|x-amz-signature|x-goog-signature|code|key|auth|pass|pwd))(?:\\s{0,2}\\[[^\\]\\n]{0,24}\\])?([ \\t]{0,9}(?:=>|[?:]=|[:=])[ \\t]{0,9}|%3D)([^\\s"'\`,;&|<>(){}[\\]\\\\‹]{3,4096})`,
  'gi',
);

/** A value after a flag. */
const FLAG = new RegExp(
  `((?<![\\w-])--?[a-z][a-z-]{0,24}(?:password|passwd|passphrase|secret|token|key)(?:=|[ \\t]{1,4})|(?<![\\w-])--?(?:password|passwd|pwd|passphrase|(?:(?:src|dest|trust)?store|key)?pass|pw|secret|token|auth)(?:=|[ \\t]{1,4}))((?:\\\\{0,15}["'])?)(?!-)([^\\s"'\\\\‹]{3,4096})`,
  'gi',
);

/** The value of a header to the end of its line or string. The lookaheads are redundant: with them, searching is much faster. */
const HEADER =
  /(?=(?:proxy-)?auth|(?:set-)?cook|x-|priv|job-|depl|api|ocp-)((?<=^|[^\w-]|\\[nrt])(?:(?:proxy-)?authorization|(?:set-)?cookie|x-[a-z-]{0,40}(?:key|token|secret|auth|signature)|(?:private|job|deploy)-token|api-?key|ocp-apim-subscription-key)[ \t]{0,4}:[ \t]{0,4})((?:[a-z][a-z\d-]{2,20}:?[ \t]{1,4})?)([^\s"'\\‹][^\r\n"'\\‹]{3,8192})/gi;

const BEARER =
  /(?=bearer|basic|token)(?<=^|[^A-Za-z0-9_]|\\[nrt])(Bearer|Basic|Token)([ \t]{1,4})([A-Za-z0-9+/._~-]{12,4096}={0,2})/gi;

const URL_PASSWORD = /([a-z0-9+.-]:\/\/[^\s:/@"'<>]{0,256}:)([^\s/"'<>]{1,256})@/gi;
const URL_USER = /([a-z0-9+.-]:\/\/)((?=[a-z_-]{0,99}\d)[\w-]{20,256})@/gi;

/** Words of which each of these has at least one: most texts have none. Without anything else, they are searched quickly. */
export const NAMED_WORDS =
  'pass|pwd|-pw|secret|token|key|auth|cookie|credential|connection|jsess|psess|sig=|signature|code=|://|bearer|basic';
/** What one of these needs. */
export const NAMED_SIGN = [
  `(?:${NAME}${SUFFIX}|[_-]pass|[?&;](?:sig|signature|x-[a-z]{3,4}-signature|code|key|auth|pass|pwd))(?:\\s{0,2}\\[[^\\]\\n]{0,24}\\])?(?:\\\\{0,15}["']\\]?)?(?:\\s{0,9}\\??[:=]|%3D)`,
  '-[a-z-]{0,25}(?:key|pass(?:w(?:or)?d|phrase)?|pwd|pw|secret|token|auth)[=: \\t]',
  'x-[a-z-]{0,40}(?:key|token|secret|auth|signature)[ \\t:]',
  '(?:bearer|basic|token)\\s',
  '://[^\\s/]{0,512}@',
].join('|');

/** Replaces the secrets that something names. */
export function replaceNamed(text: string, hide: (secret: string) => string): string {
  return text
    .replace(QUOTED, (whole: string, before: string, _escape, _quote, value: string) =>
      isQuotedSecret(before, value) ? before + hide(value) : whole,
    )
    .replace(HEADER, (whole: string, name: string, scheme: string, value: string) =>
      isHeaderSecret(name, scheme, value)
        ? name + scheme + hide(value.trimEnd()) + value.slice(value.trimEnd().length)
        : whole,
    )
    .replace(FLAG, (whole: string, flag: string, quote: string, value: string) =>
      isFlagSecret(flag, quote, value) ? flag + quote + hide(value) : whole,
    )
    .replace(
      UNQUOTED,
      (whole: string, name: string, separator: string, value: string, at: number, all: string) =>
        isUnquotedSecret({ name, separator, value, at, end: at + whole.length, text: all })
          ? whole.slice(0, -value.length) + hide(value)
          : whole,
    )
    .replace(BEARER, (whole: string, scheme: string, space: string, value: string) =>
      isCredential(scheme, value) ? scheme + space + hide(value) : whole,
    )
    .replace(URL_PASSWORD, (whole: string, before: string, value: string) =>
      isPlaceholder(value) ? whole : `${before}${hide(value)}@`,
    )
    .replace(URL_USER, (_whole, before: string, value: string) => `${before}${hide(value)}@`);
}

const PLACEHOLDER =
  /^(?:\$(?!(?=\w*[A-Z])\w*\d[A-Za-z]+\d[A-Za-z])|[%@{<*[(]|\\|x{3,}$|\.{3}|your[_-]|my[_-](?:secret|token|password|api)|[A-Z_]{3,}$|(?:nil|str|bytes|int|integer|number|bool|boolean|object|any|unknown|required|optional|redacted|masked|hidden|secret|token|password|example|default|empty)$|(?:process\.env|import\.meta|os\.|env\.|environ|self\.|this\.|config\.|settings\.|req\.|request\.|args\.|options?\.|params\.|ctx\.|data\.|user\.|get[A-Z_]|await$|new$|function$|typeof$|if$|in$|as$))/;

/** Whether a value stands for another one. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || /^(?:none|null|true|false|undefined|string)$/i.test(value);
}

function isQuotedSecret(before: string, value: string): boolean {
  // The quote ends a text that ends with the name: what follows is code.
  if (/^[\s,;:)}\]+]/.test(value)) return false;
  // A message about a field: `errors["password"] = "is too short"`.
  if (/[[\]]/.test(before) && /\s/.test(value)) return false;
  if (/access[_ -]?key/i.test(before) && value.length < 8) return false;
  // One short word is a kind of token, not one.
  if (/(?:token|cookie|secret|credentials?)/i.test(before) && /^[a-z]{1,7}$/.test(value)) return false;
  return !isPlaceholder(value) || (/^[A-Z_]{3,}$/.test(value) && /pass|pwd/i.test(before));
}

function isHeaderSecret(name: string, scheme: string, value: string): boolean {
  if (isPlaceholder(value) || /^[a-z]+[;,)]?$/i.test(value.trim())) return false;
  if (/cookie/i.test(name)) return /[\w-]{1,80}=[^\s;]{4}/.test(value);
  const [first = ''] = value.split(/[\s,;]/, 1);
  return /^(?:bearer|basic|token|digest|apikey|aws4-)/i.test(scheme) ? first.length >= 6 : looksSecret(first);
}

function isFlagSecret(flag: string, quote: string, value: string): boolean {
  if (value.startsWith('-') || isPlaceholder(value)) return false;
  if (/key(?:=|\s)/i.test(flag) && !/(?:api|access|secret|auth|private|account|signing)-?key/i.test(flag))
    return false;
  // `--private-key FILE`.
  if (/^[.~]?\//.test(value) || /\.(?:pem|key|json|txt|pub|crt|ya?ml)$/.test(value)) return false;
  if (flag.endsWith('=') || quote !== '') return !/^[a-z]{1,7}$/.test(value) || /pass|pwd|secret/i.test(flag);
  return looksSecret(value);
}

interface Assignment {
  readonly name: string;
  readonly separator: string;
  readonly value: string;
  /** Position of the name. */
  readonly at: number;
  readonly end: number;
  readonly text: string;
}

function isUnquotedSecret({ name, separator, value, at, end, text }: Assignment): boolean {
  if (isPlaceholder(value) || (/^PWD$/i.test(name) && /^[/~.]/.test(value))) return false;
  const next = text.charAt(end);
  // A call, an index, a template, a path.
  if (next === '(' || next === '[' || next === '{') return false;
  const isPassword = /pass|pwd/i.test(name);
  if (/^[\d.]+$/.test(value)) return isPassword && value.length >= (separator.includes(' ') ? 8 : 4);
  const { whole, before } = wordAround(text, at, name);
  const isTight = separator === '=' || separator === '%3D';
  if (isTight && (before === '?' || before === '&'))
    return (
      value.length >= 6 &&
      (isPassword || !/^(?:code|key|auth)$/i.test(name) || (value.length >= 12 && looksSecret(value)))
    );
  // A variable of the environment.
  if (isTight && /^[A-Z][A-Z0-9_]*$/.test(whole)) return !isVariable(value);
  // A connection string.
  if (isTight && (next === ';' || before === ';')) return value.length >= 4 && !/^[a-z]+$/i.test(value);
  // A line of a properties file.
  if (isTight && isLineStart(before) && (next === '' || /[\r\n\\"']/.test(next)))
    return value.length >= 6 && !isVariable(value);
  return looksSecret(value) && !isVariable(value);
}

/** The name with the letters, digits, `_`, `.` and `-` directly before it, and the character before those. */
function wordAround(text: string, at: number, name: string): { whole: string; before: string } {
  let from = at;
  while (from > 0 && at - from < 60 && /[\w.-]/.test(text.charAt(from - 1))) from -= 1;
  const before = text.charAt(from - 1);
  // An escaped line break in JSON.
  const isEscape = before === '\\' && /[nrt]/.test(text.charAt(from)) && from < at + 1;
  return isEscape
    ? { whole: text.slice(from + 1, at) + name, before: '\n' }
    : { whole: text.slice(from, at) + name, before };
}

function isLineStart(character: string): boolean {
  return character === '' || /[\s"']/.test(character);
}

/** Whether a value looks like a name in code. */
function isVariable(value: string): boolean {
  if (/^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+[.;]?$/.test(value)) return true;
  if (!/^\w+$/.test(value)) return false;
  return (
    /^[A-Z][A-Z_]+$/.test(value) ||
    /_(?:token|secret|key|password|passwd|pwd)|^(?:token|secret|key|password|api)_/i.test(value)
  );
}

/** Whether a value without quotes looks like no word and no number. */
function looksSecret(value: string): boolean {
  if (value.length < 6 || /^(?:https?:|\/|\.{1,2}\/|[A-Za-z]:\\|@)/.test(value)) return false;
  const hasLower = /[a-z]/.test(value);
  const hasUpper = /[A-Z]/.test(value);
  if (!hasLower && !hasUpper) return false;
  if (/\d/.test(value)) return value.length >= 8 || !/^[a-z]+-?\d{1,2}$/.test(value);
  if (/[!#$%^*~]/.test(value)) return true;
  if (/[+=?]/.test(value) && !value.endsWith('=')) return hasLower && hasUpper;
  return value.length >= 20 && hasLower && hasUpper && !/^[A-Z]?[a-z]+(?:[A-Z][a-z]+)*$/.test(value);
}

function isCredential(scheme: string, value: string): boolean {
  const isPlain = /^[a-z-]+[.]?$/i.test(value);
  if (/^basic$/i.test(scheme)) return /[\d=+/]/.test(value) && /[A-Z=]/.test(value) && !/[-._~]/.test(value);
  if (/^token$/i.test(scheme))
    return /\d/.test(value) && /^[A-Za-z0-9_]{20,}$/.test(value) && !isVariable(value);
  return isPlain
    ? value.length >= 20 && !value.includes('-') && !/^[A-Z]?[a-z]+(?:[A-Z][a-z]+)+$/.test(value)
    : !isPlaceholder(value) && !isVariable(value);
}
