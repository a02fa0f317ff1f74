/*
 * Tokens that their issuers made recognizable. The prefixes follow the published rules of gitleaks and the documentation of the
 * issuers. Each pattern is a prefix and one run of characters, so searching takes linear time.
 */

/** A prefix, and what follows it. */
type Token = readonly [prefix: string, body: string];

const TOKENS: readonly Token[] = [
  // Whose beginning nothing else has, and private keys and files with one in base64.
  [
    '(?:GR1348941|(?:NR(?:A[KL]|JS|II|SP|BR)|tskey)-|GOCSPX-|dckr_[po]at_|github_pat_|hv[sbr]\\.|sb(?:p|_secret|_publishable)_|sha256~|sq0[a-z]{3}-|xapp-\\d-|1//0|figd_|pypi-AgE|x(?:key|smtp)sib-|dp\\.(?:[psc]t|sa|scim|audit)\\.|gl(?:[dfr]t|pat|rtr|ptt|cbt|oas|soat|imt|agent|ffct)-|pscale_(?:tkn|pw|oauth)_|ya29\\.|v1\\.0-|ABSK|whsec_|shp(?:at|ca|pa|ss)_|EZ[AT]K|access_token\\$|CLOJARS_|AKCp|cmVmd|pat[A-Za-z0-9]{14}\\.|PMAK-|dt0[a-z]\\d{2}\\.|gl(?:c|sa)_|ops_eyJ|sntry[su]_|AGE-SECRET-KEY-1|AIza|LS0tLS1CRUdJTi(?!BDRV|BQVU)|eyJhdXRocyI6)',
    '[\\w.~$+/=%-]{20,}',
  ],
  // Models.
  ['sk-(?:ant|proj|svcacct|or|lf)-', '[\\w-]{8,}'],
  ['[spr]k-', '(?:[A-Za-z0-9]{16,}|(?=[A-Za-z_-]{0,99}\\d)[\\w-]{16,})'],
  [
    '(?:(?:r8|gsk|tgp_v1|f[wc]|e2b|lsv2|rnd|vc[pikar]|nfp|fo1|fm[12][ar]?)_|AT(?:ATT|CTT|BB|TA)|HRKU-|FlyV1 |(?:xai|pplx|csk|nvapi|jina|tvly|CFPAT|APP_USR|FLWSECK)[-_])',
    '(?=[A-Za-z_-]{0,99}\\d)[\\w+/=-]{20,}',
  ],
  // Of all kinds.
  ['(?:gh[pousr]|hf|api_org)_', '[A-Za-z0-9]{20,}'],
  ['(?:npm|lin_[a-z]{2,5}|ph[cx])_', '[A-Za-z0-9]{30,}'],
  ['(?:do[por]_v1_|lw_|pul-|rubygems_|sk_|live_)', '[a-f0-9]{30,}'],
  ['(?:SK|dapi|fc-|key-)', '[a-f0-9]{32}(?:-\\d)?\\b'],
  // Most with a name or a number before the secret.
  [
    '(?:CCIP(?:AT|RJ)|apify_api|b(?:b_live|kua)|cf(?:[au]t|k)|dbt[cu]|duffel_live|hcaik|napi|p(?:csk|nu|olar_oat)|re|rdme|s(?:gp|hippo_live|q[apu])|tfp|wandb_v1)_',
    '(?:[A-Za-z0-9]{4,30}_)?(?=[A-Za-z]{0,40}\\d)[A-Za-z0-9]{20,}',
  ],
  ['(?:pat-[a-z]{2}\\d|xa[ap]t|access-[a-z]{7,11}|sdk|mob|api)-', '[a-f0-9]{8}-[a-f0-9-]{27}'],
  // Hashes of passwords.
  ['\\$(?:apr1|[1567y]|2[aby]|argon2i?d?)\\$', '(?:[\\w.=,/+-]{1,60}\\$){0,3}[\\w./+-]{22,}'],
  // Payments.
  ['(?:sk|rk|pk|ek)_(?:live|test|prod)_', '[A-Za-z0-9]{10,}'],
  // Code and packages.
  ['cio', '[A-Za-z0-9]{32}\\b'],
  ['oy2', '[a-z0-9]{43}\\b'],
  // Clouds and hosting.
  ['A(?:[KSB]IA|CCA|3T[A-Z0-9])', '[A-Z0-9]{16}\\b'],
  ['(?:LTAI|AKID)', '(?=[A-Za-z]{0,40}\\d)[A-Za-z0-9]{12,40}\\b'],
  ['[A-Za-z0-9]{76}AZDO', '[A-Za-z0-9]{4}'],
  ['[A-Za-z0-9+/]{76}\\+ASt', '[A-Za-z0-9+/]{6,9}={0,2}'],
  ['[A-Za-z0-9]{14}\\.atlasv1', '\\.[\\w-]{60,}'],
  ['A3-', '[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}'],
  // Messages.
  ['xox[a-eoprs](?:\\.xox[a-z])?-', '[\\w.%-]{10,}'],
  ['SG\\.', '[\\w-]{16,24}\\.[\\w-]{30,}'],
  ['EAA', '(?=[A-Za-z]{0,99}\\d)[A-Za-z0-9]{60,}'],
  // Tools.
  ['(?:ntn|secret)[_-]', '(?=[A-Za-z]{0,99}\\d)[A-Za-z0-9]{40,}'],
  ['bot\\d{8,10}:', '[\\w-]{30,}'],
  ['\\d{8,10}:AA', '[\\w-]{32,}'],
  ['[MNO][A-Za-z\\d_-]{23,25}\\.', '[\\w-]{6}\\.[\\w-]{27,}'],
  ['[A-Za-z0-9_~.]{3}\\dQ~', '[A-Za-z0-9_~.-]{31,34}'],
];

/** Where a token starts, also after an escaped line break in JSON. */
const START = '(?<=^|[^A-Za-z0-9]|\\\\[nrt])';

export const TOKEN = new RegExp(
  `${START}(?:${TOKENS.map(([prefix, body]) => prefix + body).join('|')})`,
  'g',
);

/** Tokens within addresses of webhooks. */
export const WEBHOOK =
  /(\bhooks\.(?:slack|zapier)\.com\/(?:services|workflows|triggers|hooks)\/|\bdiscord(?:app)?\.com\/api\/webhooks\/\d{5,20}\/|\.webhook\.office\.com\/webhookb2\/)[\w@/-]{16,}/g;

/** Frames of results are removed without regard to what they belong to, so that dashes before it may be missing. */
export const PRIVATE_KEYS = [
  /-{0,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?----[\s\S]*?(?:-?---- ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-----?|(?=”)|$)/g,
  /(?<=\bPrivate-Lines: \d{1,4}[\s\\nr]{1,9})[A-Za-z0-9+/=\s\\]{40,}(?=Private-MAC|$)/g,
];
/** The end of a key that starts before the text; searched after complete keys have been masked. */
export const KEY_END = /^[\s\S]*---- ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-----?/;

/** The beginning of a token that a cut left too short. */
export const UNFINISHED_TOKEN =
  /(?<![A-Za-z0-9])(?:[spr]k-|[spr]k_(?:live|test)_|gh[pousr]_|github_pat_|lw_|gl(?:pat|dt|rt)-|xox[abeoprs]-|A(?:KI|SI)A|AIza|ya29\.|npm_|pypi-|hf_|gsk_|dckr_pat_|eyJ)[A-Za-z0-9._-]{4,40}(?=$|[…”])/g;

/** What prefixes end with that may begin with any character. */
const ENDS = [':AA', 'Q~', 'atlasv1', 'AZDO', '+ASt'];
/** The first characters of all others: looking for them first is twice as fast. */
const FIRST = '(?=[$1ACEFGHLMNOPSXa-hj-pr-tvwxy])';
const PREFIXES = `(?:${TOKENS.map(([prefix]) => prefix)
  .filter((prefix) => !ENDS.some((end) => prefix.endsWith(end)))
  .join('|')})`;
/** The cases of {@link START} and the rest, apart: together, they are searched at half the speed. */
const SIGNS = [
  new RegExp(`(?<![A-Za-z0-9])${FIRST}${PREFIXES}`),
  /hooks\.[sz]|\/webhooks\/|webhookb2|eyJ|PRIVATE KEY|Private-Lines/,
];
const ESCAPED_SIGN = new RegExp(`\\\\[nrt]${PREFIXES}`);

/** Whether any of these may be in the text: most texts have none. */
export function hasTokenSign(text: string): boolean {
  return (
    ENDS.some((end) => text.includes(end)) ||
    SIGNS.some((sign) => sign.test(text)) ||
    (text.includes('\\') && ESCAPED_SIGN.test(text))
  );
}

const CARD = /(?<=^|[^\w.-]|\\[nrt])[2-6]\d{3}(?:[ -]?\d){8,15}(?![\w-]|\.\d)/g;
const CARDS =
  /^(?:4\d{12}(?:\d{3})?(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11})$/;

/** Replaces the numbers of payment cards. */
export function replaceCards(text: string, hide: (secret: string) => string): string {
  return text.replace(CARD, (number) => {
    const digits = number.replace(/[ -]/g, '');
    return CARDS.test(digits) && hasCheckDigit(digits) ? hide(number) : number;
  });
}

/** Luhn's algorithm. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, isDouble = false; at >= 0; at -= 1, isDouble = !isDouble) {
    const digit = Number(digits[at]) * (isDouble ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}
