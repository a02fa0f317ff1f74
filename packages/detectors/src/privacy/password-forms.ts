/*
 * Commands, files and code that hold a password without a name beside it.
 */
/** What a text must contain for a form to be searched, in small letters. */
type Parts = readonly string[];
/** Searching for the parts is much cheaper than for the form, and most texts have none. */
type PasswordForm = readonly [parts: Parts, form: RegExp];

const { raw } = String;
/** Where a word starts, also after an escaped line break in JSON. */
const START = raw`(?<=^|[^A-Za-z0-9_]|\\[nrt])`;
/** A word at its start. The lookahead is redundant: with it, searching takes less than half of the time. */
const word = (name: string): string => `(?=${name})${START}${name}`;
/** An optional quote, escaped or not; one that is there. */
const QUOTE = raw`(?:\\{0,15}["'])?`;
const QUOTED = raw`\\{0,15}["']`;
const TICK = '`';
const GAP = raw`\s{1,4}`;
/** What may stand between a command and its flag. */
const REST = raw`\b[^\n|;]{0,200}?\s`;
const VALUE = raw`[^\s'"\\‹]{3,200}`;
const NO_FLAG = raw`[^\s'"\\‹-][^\s'"\\‹]{2,200}`;
const IN_QUOTES = raw`[^"'\\‹]{3,200}`;
const IN_TAG = raw`[^<\s‹]{3,1000}`;
/** One that no word looks like. */
const MIXED = raw`(?=[^"'\s]{0,60}[\d!@#$%^*])[^"'\s\\‹]{4,200}`;

/** Names of variables that hold a secret end with one of these. */
const VARIABLES = ['TOKEN', 'PASSWORD', 'SECRET', '_KEY'];

/** @param before source of what is kept before the password */
function form(parts: Parts, before: string, value = VALUE, flags = 'g'): PasswordForm {
  return [parts, new RegExp(`(${before})(${value})`, flags)];
}

/** A command with a flag, after which the password follows. */
function command(parts: Parts, name: string, flag: string, value = VALUE): PasswordForm {
  return form(parts, word(name) + REST + flag + QUOTE, value);
}

/** The same form with each of these words, so that it is searched only in texts that contain the word. */
function each(
  words: readonly string[],
  parts: Parts,
  of: (parts: Parts, name: string) => PasswordForm,
): PasswordForm[] {
  return words.map((name) => of([name.toLowerCase(), ...parts], name));
}

/** A name, which is kept, before the password. */
const named = (signs: string): string => raw`${QUOTE}[^\s${signs}'"]{1,100}[${signs}]`;

export const passwordForms: readonly PasswordForm[] = [
  command(
    ['curl'],
    'curl',
    raw`(?:(?:-[a-zA-Z]{0,5}u|--user|--proxy-user|-U)[ =]?${named(':')}|(?:-b|--cookie)[ =]${QUOTE}[^\s='"]{1,60}=)`,
  ),
  command(['http', '-a'], 'https?', raw`(?:-a|--auth)[ =]${named(':')}`),
  ...each(['xh', 'ab', 'lftp'], ['-'], (parts, name) =>
    command(parts, name, raw`(?:-[aAuP]|--auth|--user)[ =]${named(':,')}`),
  ),
  form(['creds'], raw`${word('--')}(?:src-|dest-)?creds[ =]${named(':')}`),
  // A name and a password side by side, in whatever command. Ports and a script of Python are no passwords.
  form(
    [' -u', ' -p'],
    raw`\s-(?:[uU]|user|username)[ =:]?${QUOTE}(?!\S{0,100}\.(?:py|js|ts|sh)\b)[^\s'"\\]{1,100}${QUOTE}${GAP}-(?:[pP]|pw)[ =:]?${QUOTE}`,
    raw`(?![\d.:-]{1,30}(?:\/(?:tcp|udp))?(?:["'\s\\;&|)]|$))${NO_FLAG}`,
  ),
  command(['openssl'], 'openssl', `-[kK]${GAP}`),
  command(['zip', '-p'], '(?:un)?zip', raw`-P\s{0,4}`, NO_FLAG),
  ...each(['7z', 'rar'], ['p'], (parts, name) => command(parts, `(?:un)?${name}a?`, '-h?p')),
  ...each(['sqlplus', 'expdp', 'impdp', 'sqlldr'], ['/'], (parts, name) =>
    form(parts, raw`${word(name)}\s[^\n|;]{0,60}?\b\w{1,40}\/`, raw`[^\s'"\\/@‹]{3,200}`),
  ),
  form(['configure set'], raw`${word('configure')}\sset${GAP}\w{0,40}(?:secret|token)\w{0,40}${GAP}${QUOTE}`),
  command(
    ['rabbitmqctl'],
    'rabbitmqctl',
    raw`(?:add_user|change_password|authenticate_user)${GAP}\S{1,60}${GAP}`,
  ),
  form(['/pass'], raw`\s\/pass(?:word)?:${QUOTE}`, VALUE, 'gi'),
  // Passed on by a pipe or a here-string.
  ...each(['echo', 'printf'], ['|'], (parts, name) =>
    form(
      parts,
      raw`${word(name)}${GAP}(?:-[ne]${GAP})?${QUOTE}(?:\w{1,40}:)?`,
      raw`[^\s'"\\|‹]{3,200}(?=${QUOTE}\s{0,4}\|\s{0,4}[^\n|;]{0,120}?(?:-stdin\b|\bchpasswd\b|\bpasswd\b|sudo${GAP}-\w{0,4}S\b|with-token|cryptsetup|passphrase-fd))`,
    ),
  ),
  command(['<<<'], '(?:kinit|cryptsetup|passwd|sudo|docker|podman|gh)', raw`<<<\s{0,4}`),
  ...each(['mysql', 'mariadb'], ['-p'], (parts, name) =>
    form(
      parts,
      raw`${word(name)}(?:dump|admin|import)?\b[^\n|;]{0,200}?\s-p${QUOTE}`,
      `(?<=["'])${IN_QUOTES}|${NO_FLAG}`,
    ),
  ),
  form(['sshpass'], raw`${word('sshpass')}${GAP}-p\s{0,4}${QUOTE}`),
  command(['redis-cli'], 'redis-cli', `-a${GAP}`),
  command(
    ['login', '-p'],
    raw`(?:docker|podman|helm|az|oc|nerdctl)\b[^\n|;]{0,60}?\blogin`,
    raw`-p\s{0,4}`,
    NO_FLAG,
  ),
  command(['ldap'], 'ldap(?:search|modify|add|delete|whoami)', `-w${GAP}`),
  form(
    ['htpasswd'],
    raw`${word('htpasswd')}\b[^\n|;]{0,60}?\s-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}\s[^\n|;]{1,200}?\s\S{1,60}\s`,
    raw`${VALUE}(?=[\s"'\\]|$)`,
  ),
  command(['smbclient'], 'smbclient', raw`-U\s{0,2}${named('%')}`),
  form(['pass:'], `${word('pass')}(?:in|out)?[ =:]{1,2}pass:`),
  form(
    ['login', 'password'],
    raw`${word('login')}\s{1,9}\S{1,100}\s{1,9}password\s{1,9}`,
    raw`[^\s\\‹]{3,200}`,
  ),
  form(
    ['identified'],
    raw`${word('IDENTIFIED')}${GAP}(?:WITH${GAP}\S{1,40}${GAP})?BY${GAP}${QUOTED}`,
    IN_QUOTES,
    'gi',
  ),
  ...each(['create', 'alter'], ['password'], (parts, name) =>
    form(
      parts,
      raw`${word(name)}${GAP}(?:USER|ROLE|LOGIN)\b[^\n;]{0,200}?\bPASSWORD\s{0,4}=?\s{0,4}N?${QUOTED}`,
      IN_QUOTES,
      'gi',
    ),
  ),
  ...each(['requirepass', 'masterauth'], [], (parts, name) =>
    form(parts, word(name) + GAP, raw`[^\s'"\\‹]{4,200}`),
  ),
  form(['auth'], `${word('AUTH')}${GAP}(?:default${GAP})?`, raw`(?=[^\s]{0,60}[\d!@#$%^*])[^\s'"\\‹]{6,200}`),
  form(['"auth'], raw`"auth\\{0,15}"\s{0,4}:\s{0,4}\\{0,15}"`, raw`[A-Za-z0-9+/]{8,1000}={0,2}(?=\\{0,15}")`),
  ...each(['password', 'passphrase', 'passcode', 'api key', 'access token'], [], (parts, name) =>
    form(
      parts,
      `${word(name)}${GAP}(?:is|was|to)${GAP}["'${TICK}]?`,
      raw`(?=[^\s"'${TICK}]{0,60}\d)(?=[^\s"'${TICK}]{0,60}[a-z])[^\s"'${TICK},;‹]{5,200}`,
      'gi',
    ),
  ),
  form(
    ['env'],
    raw`${word('ENV')}${GAP}\w{0,40}(?:${VARIABLES.join('|')})${GAP}`,
    raw`[^\s=\\‹][^\s\\‹]{2,200}`,
  ),
  ...each(VARIABLES, ['set'], (parts, name) =>
    form(
      parts,
      raw`${word('set')}(?:env|x)?${GAP}(?:-\w{1,3}${GAP})?[A-Z_]{0,40}${name}${GAP}${QUOTE}`,
      raw`[^\s"'=\\‹][^\s'"\\‹]{2,200}`,
    ),
  ),
  ...each(['password', 'passwd', 'pwd', 'secret', 'token', 'key', 'passphrase'], ['<', '</'], (parts, name) =>
    form(
      parts,
      raw`<(?:\w{1,20}:)?\w{0,30}${name.replace('key', '(?:api-?|access-?|private|secret|encryption|signing|account|shared|master)key')}(?:\s[^<>]{0,200})?>`,
      raw`${IN_TAG}(?=<\/)`,
      'gi',
    ),
  ),
  ...each(['password', 'secret', 'token'], ['name=', '</'], (parts, name) =>
    form(
      parts,
      raw`<\w{1,30}\s[^<>]{0,100}?name=${QUOTED}[^"'<>]{0,40}${name}${QUOTED}[^<>]{0,100}>`,
      raw`${IN_TAG}(?=<\/)`,
      'gi',
    ),
  ),
  // In code: a name and a password as arguments, and a short key.
  ...each(['auth', 'credential', 'login'], ['('], (parts, name) =>
    form(
      parts,
      raw`${name}s?\s{0,2}=?\s{0,2}\(\s{0,4}${QUOTED}[^"'\n\\]{1,100}${QUOTED}\s{0,4},\s{0,4}${QUOTED}`,
      `${MIXED}(?=${QUOTED})`,
      'gi',
    ),
  ),
  form(
    ['pass'],
    raw`(?<![A-Za-z])pass\\{0,15}["']?\s{0,4}[:=]\s{0,4}${QUOTED}`,
    `${MIXED}(?=${QUOTED})`,
    'gi',
  ),
  form(
    ['password', 'for'],
    raw`${word('PASSWORD')}${GAP}FOR\s[^\n=;]{1,100}=\s{0,4}(?:PASSWORD\()?N?${QUOTED}`,
    IN_QUOTES,
    'gi',
  ),
  form(
    ['value='],
    raw`${word('(?:key|name)')}=${QUOTED}[^"'<>]{0,60}(?:password|secret|token|key)${QUOTED}${GAP}value=${QUOTED}`,
    IN_QUOTES,
    'gi',
  ),
  ...each([...VARIABLES, 'password', 'api_key'], ['value'], (parts, name) =>
    form(
      parts,
      raw`${word('(?:name|key)')}${QUOTE}\s{0,4}:\s{0,4}${QUOTE}\w{0,40}${name}${QUOTE}\s{0,4}[^{}]{0,40}?${QUOTE}value${QUOTE}\s{0,4}:\s{0,4}${QUOTE}`,
      raw`[^\s"'\\,}‹]{3,1000}`,
    ),
  ),
  form(['securestring'], raw`SecureString${GAP}(?:-String${GAP})?${QUOTED}`, IN_QUOTES),
  // A line of `.pgpass`.
  form([':5432:'], raw`:5432:[\w*-]{1,60}:[\w.*-]{1,60}:`, raw`[^\s:"'\\‹]{6,200}`),
  // An argument after a name, that of a setter, a default of Terraform, a cell of a table, a literal of JavaScript, a block of YAML.
  ...each(['password', 'secret', 'token', 'api_key', 'apikey'], [], (parts, name) =>
    form(
      parts,
      raw`(?:\(|variable )${QUOTED}[\w.-]{0,60}${name}${QUOTED}(?:,|\s?\{[^{}]{0,300}?default\s{0,9}=)\s{0,4}${QUOTED}|\|\s{1,9}\w{0,40}${name}\s{1,40}\|\s{0,40}|${name}(?:\(${QUOTED}|\s?[:=]\s?${TICK}|: [|>]-?(?:\n|\\{1,15}n) {1,40})`,
      raw`(?=\S{0,60}\d)(?=\S{0,60}[A-Za-z])[^\s|${TICK}"'\\$(){}‹]{8,200}(?=[${TICK}"'\\\s]|$)`,
      'gi',
    ),
  ),
];
