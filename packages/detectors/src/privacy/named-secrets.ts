/*
 * Secrets that something beside them names: a key, a flag, a header, a query parameter, the form of a command. Whether a value is
 * a secret or a variable, a type or a placeholder depends on where it stands and how it looks; quoted values need no such look.
 */

/** Where a word starts, also after an escaped line break in JSON. */
const START = String.raw`(?<=^|[^A-Za-z0-9_]|\\[nrt])`;
const TICK = '`';

/** Names of secrets. */
const NAME =
  '(?:pass(?:word|wd|phrase|code)|pwd|secret(?:[_ -]?access)?(?:[_ -]?key)?(?:[_-]?base)?|token|(?:api|app|access|account|auth|private|encryption|signing|master|subscription|deploy|license|storage|shared[_ -]?access|service|webhook)[_ -]?key|client[_-]?secret|connection[_-]?string|authorization|credentials?|_auth|session[_-]?(?:key|secret)|[jp]h?p?sess(?:ion)?id|(?:set-)?cookie)';
/** Words after a name that leave it one. */
const SUFFIX = '(?:[_-]?(?:value|default|prod(?:uction)?|live|dev|staging|test|primary|secondary|\\d{1,3}))?';

/** The key of a quoted value, at whatever depth of nested JSON. */
const QUOTED_KEY = `(?:${NAME}${SUFFIX})(?:\\\\{0,15}["'])?\\s{0,9}(?:=>|:=|[:=])`;

/**
 * A quoted value after such a key. In nested JSON the quotes are escaped: the value ends at a quote with as many backslashes as
 * its opening quote, so that an escaped quote inside does not end it.
 */
const QUOTED = new RegExp(
  `(${QUOTED_KEY}\\s{0,9}(\\\\{0,15})(["']))(?!\\2\\3)([\\s\\S]+?)(?=(?<!\\\\)\\2\\3|$)`,
  'gi',
);

/** An unquoted value, or one after an encoded `=`. */
const UNQUOTED = new RegExp(
  `(${NAME}${SUFFIX}|[_-]pass|(?<=[?&;])(?:sig|signature|x-amz-signature|x-goog-signature|code|key|auth|pwd))(?:\\s{0,2}\\[[^\\]\\n]{0,24}\\])?([ \\t]{0,9}(?:=>|:=|[:=])[ \\t]{0,9}|%3D)([^\\s"'\`,;&|<>(){}[\\]\\\\‹]{3,4096})`,
  'gi',
);

/** A value after a flag. */
const FLAG = new RegExp(
  `((?<![\\w-])--?[a-z][a-z-]{0,24}(?:password|passwd|passphrase|secret|token|key)(?:=|[ \\t]{1,4})|(?<![\\w-])--?(?:password|passwd|pwd|passphrase|(?:(?:src|dest|trust)?store|key)?pass|pw|secret|token|auth)(?:=|[ \\t]{1,4}))((?:\\\\{0,15}["'])?)(?!-)([^\\s"'\\\\‹]{3,4096})`,
  'gi',
);

/** The value of a header to the end of its line or string. */
const HEADER =
  /((?<=^|[^\w-]|\\[nrt])(?:(?:proxy-)?authorization|(?:set-)?cookie|x-[a-z-]{0,40}(?:key|token|secret|auth|signature)|(?:private|job|deploy)-token|api-?key|ocp-apim-subscription-key)[ \t]{0,4}:[ \t]{0,4})((?:(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256)[ \t]{1,4})?)([^\s"'\\‹][^\r\n"'\\‹]{3,8192})/gi;

const BEARER =
  /(?<=^|[^A-Za-z0-9_]|\\[nrt])(Bearer|Basic|Token)([ \t]{1,4})([A-Za-z0-9+/._~-]{12,4096}={0,2})/gi;

/** What headers and credentials contain; searching for it is much cheaper. */
const HEADER_PARTS = ['authorization', 'cookie', 'x-', '-token', 'apikey', 'api-key', 'ocp-apim'];
const BEARER_PARTS = ['bearer', 'basic', 'token'];
const NEVER = /(?!)/g;

const URL_PASSWORD = /([a-z0-9+.-]:\/\/[^\s:/@"'<>]{0,256}:)([^\s/"'<>]{1,256})@/gi;
const URL_USER = /([a-z0-9+.-]:\/\/)((?=[a-z_-]{0,99}\d)[\w-]{20,256})@/gi;

/** Names of variables that hold a secret end with one of these. */
const VARIABLES = ['TOKEN', 'PASSWORD', 'SECRET', '_KEY'];

/** What a text must contain for a form to be searched: capitals in this case, small letters in any. */
type Parts = readonly string[];

/** The same form with each of these words, so that it is searched only in texts that contain the word. */
function forEach(
  words: readonly string[],
  parts: Parts,
  form: (word: string) => string,
  flags: string,
): (readonly [parts: Parts, form: RegExp])[] {
  return words.map((word) => [[...parts, word], new RegExp(form(word), flags)]);
}

/** An optional quote, escaped or not. */
const QUOTE = String.raw`(?:\\{0,15}["'])?`;

/**
 * Commands and files that hold a password without a name: parts of the form, what is kept, and the password. Searching for a
 * part is much cheaper than for the form, and most texts have none.
 */
const FORMS: readonly (readonly [parts: Parts, form: RegExp])[] = [
  [
    ['curl'],
    new RegExp(
      String.raw`(${START}curl\b[^\n|;]{0,400}?\s(?:-u|--user|--proxy-user|-U)[ =]?${QUOTE}[^\s:'"]{1,100}:)([^\s'"\\‹]{2,200})`,
      'g',
    ),
  ],
  [
    ['http', '-a'],
    new RegExp(
      String.raw`(${START}https?\s[^\n|;]{0,200}?(?:-a|--auth)[ =]${QUOTE}[^\s:'"]{1,100}:)([^\s'"\\‹]{2,200})`,
      'g',
    ),
  ],
  ...forEach(
    ['xh', 'ab', 'lftp'],
    ['-'],
    (word) =>
      String.raw`(${START}${word}\s[^\n|;]{0,200}?(?:-[aAuP]|--auth|--user)[ =]${QUOTE}[^\s:,'"]{1,100}[:,])([^\s'"\\‹]{2,200})`,
    'g',
  ),
  [
    ['creds'],
    new RegExp(
      String.raw`(${START}--(?:src-|dest-)?creds[ =]${QUOTE}[^\s:'"]{1,100}:)([^\s'"\\‹]{2,200})`,
      'g',
    ),
  ],
  // A name and a password side by side, in whatever command. Ports and a script of Python are no passwords.
  [
    [' -u', ' -p'],
    new RegExp(
      String.raw`(\s-(?:[uU]|user|username)[ =:]?${QUOTE}(?!\S{0,100}\.(?:py|js|ts|sh)\b)[^\s'"\\]{1,100}${QUOTE}\s{1,4}-(?:[pP]|pw)[ =:]?${QUOTE})(?![\d.:-]{1,30}(?:\/(?:tcp|udp))?(?:["'\s\\;&|)]|$))([^\s'"\\‹-][^\s'"\\‹]{2,200})`,
      'g',
    ),
  ],
  [
    ['openssl'],
    new RegExp(String.raw`(${START}openssl\s[^\n|;]{0,300}?\s-[kK]\s{1,4}${QUOTE})([^\s'"\\‹]{3,200})`, 'g'),
  ],
  [
    ['zip', '-p'],
    new RegExp(
      String.raw`(${START}(?:un)?zip\s[^\n|;]{0,200}?-P\s{0,4}${QUOTE})([^\s'"\\‹-][^\s'"\\‹]{2,200})`,
      'g',
    ),
  ],
  ...forEach(
    ['7z', 'rar'],
    ['p'],
    (word) => String.raw`(${START}(?:un)?${word}a?\s[^\n|;]{0,200}?\s-h?p${QUOTE})([^\s'"\\‹]{3,200})`,
    'g',
  ),
  ...forEach(
    ['sqlplus', 'expdp', 'impdp', 'sqlldr'],
    ['/'],
    (word) => String.raw`(${START}${word}\s[^\n|;]{0,60}?\b\w{1,40}\/)([^\s'"\\/@‹]{3,200})`,
    'g',
  ),
  [
    ['rdp', '/p:'],
    new RegExp(
      String.raw`(${START}\w{0,4}(?:free)?rdp\s[^\n|;]{0,200}?\s\/p:${QUOTE})([^\s'"\\‹]{3,200})`,
      'g',
    ),
  ],
  [
    ['nmcli', 'password'],
    new RegExp(String.raw`(${START}nmcli\s[^\n|;]{0,200}?\spassword\s{1,4}${QUOTE})([^\s'"\\‹]{3,200})`, 'g'),
  ],
  [['psk='], new RegExp(String.raw`(${START}psk=${QUOTE})([^\s'"\\‹]{3,200})`, 'g')],
  [
    ['configure set'],
    new RegExp(
      String.raw`(${START}configure\sset\s{1,4}\w{0,40}(?:secret|token)\w{0,40}\s{1,4}${QUOTE})([^\s'"\\‹]{3,200})`,
      'g',
    ),
  ],
  [
    ['security', 'keychain'],
    new RegExp(
      String.raw`(${START}security\s[\w-]{0,40}keychain\s[^\n|;]{0,200}?-p\s{1,4}${QUOTE})([^\s'"\\‹]{3,200})`,
      'g',
    ),
  ],
  [
    ['security', '-password'],
    new RegExp(
      String.raw`(${START}security\s{1,4}add-\w{1,20}-password\s[^\n|;]{0,200}?-w\s{1,4}${QUOTE})([^\s'"\\‹]{3,200})`,
      'g',
    ),
  ],
  [
    ['rabbitmqctl'],
    new RegExp(
      String.raw`(${START}rabbitmqctl\s[^\n|;]{0,60}?(?:add_user|change_password|authenticate_user)\s{1,4}\S{1,60}\s{1,4}${QUOTE})([^\s'"\\‹]{3,200})`,
      'g',
    ),
  ],
  [['/pass'], new RegExp(String.raw`(\s\/pass(?:word)?:${QUOTE})([^\s'"\\‹]{3,200})`, 'gi')],
  // Passed on by a pipe or a here-string.
  ...forEach(
    ['echo', 'printf'],
    ['|'],
    (word) =>
      String.raw`(${START}${word}\s{1,4}(?:-[ne]\s{1,4})?${QUOTE}(?:\w{1,40}:)?)([^\s'"\\|‹]{3,200})(?=${QUOTE}\s{0,4}\|\s{0,4}[^\n|;]{0,120}?(?:-stdin\b|\bchpasswd\b|\bpasswd\b|sudo\s{1,4}-\w{0,4}S\b|with-token|cryptsetup|passphrase-fd))`,
    'g',
  ),
  [
    ['<<<'],
    new RegExp(
      String.raw`(${START}(?:kinit|cryptsetup|passwd|sudo|docker|podman|gh)\s[^\n|;]{0,120}?<<<\s{0,4}${QUOTE})([^\s'"\\‹]{3,200})`,
      'g',
    ),
  ],
  ...forEach(
    ['mysql', 'mariadb'],
    ['-p'],
    (word) =>
      String.raw`(${START}${word}(?:dump|admin|import)?\b[^\n|;]{0,200}?\s-p)([^\s'"\\‹-][^\s'"\\‹]{2,200})`,
    'g',
  ),
  [['sshpass'], new RegExp(String.raw`(${START}sshpass\s{1,4}-p\s{0,4}${QUOTE})([^\s'"\\‹]{2,200})`, 'g')],
  [
    ['redis-cli'],
    new RegExp(String.raw`(${START}redis-cli\b[^\n|;]{0,200}?\s-a\s{1,4}${QUOTE})([^\s'"\\‹]{2,200})`, 'g'),
  ],
  [
    ['login', '-p'],
    new RegExp(
      String.raw`(${START}(?:docker|podman|helm|az|oc|nerdctl)\b[^\n|;]{0,60}?\blogin\b[^\n|;]{0,200}?\s-p\s{0,4}${QUOTE})([^\s'"\\‹-][^\s'"\\‹]{2,200})`,
      'g',
    ),
  ],
  [
    ['ldap'],
    new RegExp(
      String.raw`(${START}ldap(?:search|modify|add|delete|whoami)\b[^\n|;]{0,300}?\s-w\s{1,4}${QUOTE})([^\s'"\\‹]{2,200})`,
      'g',
    ),
  ],
  [
    ['htpasswd'],
    new RegExp(
      String.raw`(${START}htpasswd\b[^\n|;]{0,60}?\s-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}\s[^\n|;]{1,200}?\s\S{1,60}\s)([^\s'"\\‹]{3,200})(?=[\s"'\\]|$)`,
      'g',
    ),
  ],
  [
    ['smbclient'],
    new RegExp(
      String.raw`(${START}smbclient\b[^\n|;]{0,200}?\s-U\s{0,2}${QUOTE}[^\s%'"]{1,60}%)([^\s'"\\‹]{2,200})`,
      'g',
    ),
  ],
  [['pass:'], new RegExp(String.raw`(${START}pass(?:in|out)?[ =:]{1,2}pass:)([^\s'"\\‹]{3,200})`, 'g')],
  [
    ['login', 'password'],
    new RegExp(String.raw`(${START}login\s{1,9}\S{1,100}\s{1,9}password\s{1,9})([^\s\\‹]{3,200})`, 'g'),
  ],
  [
    ['identified'],
    new RegExp(
      String.raw`(${START}IDENTIFIED\s{1,4}(?:WITH\s{1,4}\S{1,40}\s{1,4})?BY\s{1,4}\\{0,15}["'])([^"'\\‹]{3,200})`,
      'gi',
    ),
  ],
  ...forEach(
    ['create', 'alter'],
    ['password'],
    (word) =>
      String.raw`(${START}${word}\s{1,4}(?:USER|ROLE|LOGIN)\b[^\n;]{0,200}?\bPASSWORD\s{0,4}=?\s{0,4}N?\\{0,15}["'])([^"'\\‹]{3,200})`,
    'gi',
  ),
  ...forEach(
    ['requirepass', 'masterauth'],
    [],
    (word) => String.raw`(${START}${word}\s{1,4})([^\s'"\\‹]{4,200})`,
    'g',
  ),
  [
    ['AUTH'],
    new RegExp(
      String.raw`(${START}AUTH\s{1,4}(?:default\s{1,4})?)((?=[^\s]{0,60}[\d!@#$%^*])[^\s'"\\‹]{6,200})`,
      'g',
    ),
  ],
  [
    ['"auth'],
    new RegExp(
      String.raw`("auth\\{0,15}"\s{0,4}:\s{0,4}\\{0,15}")([A-Za-z0-9+/]{8,1000}={0,2})(?=\\{0,15}")`,
      'g',
    ),
  ],
  ...forEach(
    ['password', 'passphrase', 'passcode', 'api key', 'access token'],
    [],
    (word) =>
      String.raw`(${START}${word}\s{1,4}(?:is|was|to)\s{1,4}["'${TICK}]?)((?=[^\s"'${TICK}]{0,60}\d)(?=[^\s"'${TICK}]{0,60}[a-z])[^\s"'${TICK},;‹]{5,200})`,
    'gi',
  ),
  [
    ['ENV'],
    new RegExp(
      String.raw`(${START}ENV\s{1,4}\w{0,40}(?:${VARIABLES.join('|')})\s{1,4})([^\s=\\‹][^\s\\‹]{2,200})`,
      'g',
    ),
  ],
  ...forEach(
    VARIABLES,
    ['set'],
    (word) =>
      String.raw`(${START}set(?:env|x)?\s{1,4}(?:-\w{1,3}\s{1,4})?[A-Z_]{0,40}${word}\s{1,4}${QUOTE})([^\s"'=\\‹][^\s'"\\‹]{2,200})`,
    'g',
  ),
  ...forEach(
    ['password', 'passwd', 'pwd', 'secret', 'token', 'key', 'passphrase'],
    ['<', '</'],
    (word) =>
      String.raw`(<(?:\w{1,20}:)?\w{0,30}${word.replace('key', '(?:api-?|access-?|private|secret|encryption|signing|account|shared|master)key')}(?:\s[^<>]{0,200})?>)([^<\s‹]{3,1000})(?=<\/)`,
    'gi',
  ),
  ...forEach(
    ['password', 'secret', 'token'],
    ['name=', '</'],
    (word) =>
      String.raw`(<\w{1,30}\s[^<>]{0,100}?name=\\{0,15}["'][^"'<>]{0,40}${word}\\{0,15}["'][^<>]{0,100}>)([^<\s‹]{3,1000})(?=<\/)`,
    'gi',
  ),
  // In code: a name and a password as arguments, and a short key.
  ...forEach(
    ['auth', 'credential', 'login'],
    ['('],
    (word) =>
      String.raw`(${word}s?\s{0,2}=?\s{0,2}\(\s{0,4}\\{0,15}["'][^"'\n\\]{1,100}\\{0,15}["']\s{0,4},\s{0,4}\\{0,15}["'])((?=[^"'\s]{0,60}[\d!@#$%^*])[^"'\s\\‹]{4,200})(?=\\{0,15}["'])`,
    'gi',
  ),
  [
    ['pass'],
    new RegExp(
      String.raw`((?<![A-Za-z])pass\\{0,15}["']?\s{0,4}[:=]\s{0,4}\\{0,15}["'])((?=[^"'\s]{0,60}[\d!@#$%^*])[^"'\s\\‹]{4,200})(?=\\{0,15}["'])`,
      'gi',
    ),
  ],
  [
    ['password', 'for'],
    new RegExp(
      String.raw`(${START}PASSWORD\s{1,4}FOR\s[^\n=;]{1,100}=\s{0,4}(?:PASSWORD\()?N?\\{0,15}["'])([^"'\\‹]{3,200})`,
      'gi',
    ),
  ],
  [
    ['pragma'],
    new RegExp(
      String.raw`(${START}PRAGMA\s{1,4}(?:re)?key\s{0,4}=\s{0,4}\\{0,15}["'])([^"'\\‹]{3,200})`,
      'gi',
    ),
  ],
  [
    ['_encrypt('],
    new RegExp(
      String.raw`(_encrypt\([^\n,()]{1,100},\s{0,4}\\{0,15}["'])([^"'\\‹]{3,200})(?=\\{0,15}["'])`,
      'gi',
    ),
  ],
  [
    ['value='],
    new RegExp(
      String.raw`(${START}(?:key|name)=\\{0,15}["'][^"'<>]{0,60}(?:password|secret|token|key)\\{0,15}["']\s{1,4}value=\\{0,15}["'])([^"'\\‹]{3,1000})`,
      'gi',
    ),
  ],
  ...forEach(
    VARIABLES,
    ['name', 'value'],
    (word) =>
      String.raw`(${START}name${QUOTE}\s{0,4}:\s{0,4}${QUOTE}[A-Z_]{0,40}${word}${QUOTE}\s{0,4},?\s{0,40}${QUOTE}value${QUOTE}\s{0,4}:\s{0,4}${QUOTE})([^\s"'\\,}‹]{3,1000})`,
    'g',
  ),
];
const FORM_SIGN =
  'curl\\s|mysql|mariadb|sshpass|redis-cli|login\\s|ldap|htpasswd|smbclient|pass:|identified\\s|requirepass|masterauth|AUTH\\s|"auth|passw|passphrase|passcode|api key|access token|\\s-a\\s|--auth|\\s-u[\\s=:]?\\S|creds|openssl|zip\\s|7z|rar\\s|sqlplus|expdp|impdp|sqlldr|rabbitmqctl|/pass|storepass|keypass|-pw[=\\s]|/p:|nmcli|psk=|configure set|auth\\s{0,2}\\(|login\\s{0,2}\\(|<<<|stdin|sudo|chpasswd|pass["\'\\\\]{0,16}\\s{0,4}[:=]|pragma|_encrypt\\(|credential|auth\\s{0,2}=';

/** Words of which each of these has at least one: most texts have none. Without anything else, they are searched quickly. */
export const NAMED_WORDS =
  'pass|pwd|secret|token|key|auth|cookie|credential|connection|jsess|psess|sig=|signature|code=|://|bearer|basic|curl|mysql|mariadb|redis-cli|login|ldap|smbclient|identified| -a | -u|-pw|rdp|nmcli|psk=|configure set|creds|openssl|zip |7z|rar |sqlplus|expdp|impdp|sqlldr|rabbitmqctl|<<<|stdin|sudo|pragma|_encrypt';
/** What one of these needs. */
export const NAMED_SIGN = `${NAME}|[_-]pass|://[^\\s/]{0,512}@|(?:bearer|basic|token)\\s|[?&;](?:sig|signature|x-[a-z]{3,4}-signature|code|key|auth|pwd)=|--?[a-z-]{0,24}(?:key|pass|auth)|${FORM_SIGN}|(?:private|job|deploy)-token|x-[a-z-]{0,40}(?:auth|signature)`;

/** Replaces the secrets that something names. */
export function replaceNamed(text: string, hide: (secret: string) => string): string {
  const lower = text.toLowerCase();
  const has = (parts: Parts): boolean => parts.some((part) => lower.includes(part));
  let masked = text
    .replace(QUOTED, (whole: string, before: string, _escape, _quote, value: string) =>
      isQuotedSecret(before, value) ? before + hide(value) : whole,
    )
    .replace(
      has(HEADER_PARTS) ? HEADER : NEVER,
      (whole: string, name: string, scheme: string, value: string) =>
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
    .replace(
      has(BEARER_PARTS) ? BEARER : NEVER,
      (whole: string, scheme: string, space: string, value: string) =>
        isCredential(scheme, value) ? scheme + space + hide(value) : whole,
    )
    .replace(URL_PASSWORD, (whole: string, before: string, value: string) =>
      isPlaceholder(value) ? whole : `${before}${hide(value)}@`,
    )
    .replace(URL_USER, (_whole, before: string, value: string) => `${before}${hide(value)}@`);
  for (const [parts, form] of FORMS) {
    if (!parts.every((part) => (part === part.toLowerCase() ? lower : text).includes(part))) continue;
    masked = masked.replace(form, (whole: string, before: string, value: string) =>
      isPlaceholder(value) ? whole : before + hide(value),
    );
  }
  return masked;
}

const PLACEHOLDER =
  /^(?:[$%@{<*[(]|\\|x{3,}$|\.{3}|your[_-]|my[_-](?:secret|token|password|api)|[A-Z_]{3,}$|(?:none|null|nil|undefined|true|false|string|str|bytes|int|integer|number|bool|boolean|object|any|unknown|required|optional|redacted|masked|hidden|secret|token|password|example|default|empty)$|(?:process\.env|import\.meta|os\.|env\.|environ|self\.|this\.|config\.|settings\.|req\.|request\.|args\.|options?\.|params\.|ctx\.|data\.|user\.|get[A-Z_]|await$|new$|function$|typeof$|if$|in$|as$))/;

/** Whether a value stands for another one. */
function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || /^(?:none|null|true|false|undefined|string)$/i.test(value);
}

function isQuotedSecret(before: string, value: string): boolean {
  // The quote ends a text that ends with the name: what follows is code.
  if (/^[\s,;:)}\]+]/.test(value)) return false;
  if (/access[_ -]?key/i.test(before) && value.length < 8) return false;
  // One short word is a kind of token, not one.
  if (/(?:token|cookie|secret|credentials?)/i.test(before) && /^[a-z]{1,7}$/.test(value)) return false;
  return !isPlaceholder(value) || (/^[A-Z_]{3,}$/.test(value) && /pass|pwd/i.test(before));
}

function isHeaderSecret(name: string, scheme: string, value: string): boolean {
  if (isPlaceholder(value) || /^[a-z]+[;,)]?$/i.test(value.trim())) return false;
  if (/cookie/i.test(name)) return /[\w-]{1,80}=[^\s;]{4}/.test(value);
  const [first = ''] = value.split(/[\s,;]/, 1);
  return scheme === '' ? looksSecret(first) : first.length >= 6;
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
  if (/^[\d.]+$/.test(value)) return isPassword && value.length >= 4 && !separator.includes(' ');
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
