import { describe, expect, it, test } from 'vitest';
import { maskPieces, maskSecrets } from '../../src/internal.ts';
import { call, run } from '../sessions.ts';

/** Made-up secrets, put together here so that no scanner takes this file for a leak. */
const h = (size: number) => 'a1b2c3d4e5f60789'.repeat(9).slice(0, size);
const w = (size: number) => 'Zq7Lm2Xv9Kt4Rb8Wn3Yc6Hd1Pf5Gs0Ja'.repeat(5).slice(0, size);

/** What agents print: other values than the examples of the rules. */
const printed: readonly (readonly [text: string, secret: string])[] = [
  ['DB_PASSWORD=sunflower-88', 'sunflower-88'],
  ['export STRIPE_SECRET=whatever9912', 'whatever9912'],
  ['password=tigerlily77x', 'tigerlily77x'],
  [`AWS_SECRET_ACCESS_KEY=kD9/f3Jq+${w(31)}`, w(31)],
  [`aws_secret_access_key = Uw1/${w(36)}`, w(36)],
  ['$ curl -u deploy:Gr33nTea! https://ci.internal/job', 'Gr33nTea!'],
  ['curl -s --user "ops:m00nbeam" http://host', 'm00nbeam'],
  ['psql --password=oysterbed', 'oysterbed'],
  ['vault login --token hjk2-88ab-ppq1', 'hjk2-88ab-ppq1'],
  ['mysql -h db -uroot -pl4vender shop', 'l4vender'],
  ['sshpass -p blu3berry ssh root@10.0.0.3', 'blu3berry'],
  ['set -x DEPLOY_KEY plum8tree', 'plum8tree'],
  ['redis://:qu1etly@cache:6379/2', 'qu1etly'],
  ['mongodb+srv://svc:wint3rfell@cluster0.x.mongodb.net', 'wint3rfell'],
  ['amqps://guestuser:p%40nda5@mq:5671', 'p%40nda5'],
  ['Server=tcp:db;User ID=sa;Password=V3ry.Str0ng;Encrypt=true', 'V3ry.Str0ng'],
  ['jdbc:postgresql://db/app?user=a&password=cedarwood9', 'cedarwood9'],
  [`DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${w(86)}==;EndpointSuffix=core`, w(86)],
  [`Endpoint=sb://b.servicebus.windows.net/;SharedAccessKeyName=R;SharedAccessKey=${w(43)}=`, w(43)],
  ['GET /v2/me?access_token=8842ffa91c HTTP/1.1', '8842ffa91c'],
  ['https://api.example.org/x?api_key=71bb0ca2e9&limit=3', '71bb0ca2e9'],
  [`https://acct.blob.core.windows.net/c?sv=2022&sig=${w(30)}%3D`, w(30)],
  ['x-api-key: 9f31-22ce-a7d0', '9f31-22ce-a7d0'],
  ["-H 'X-Auth-Token: qq81kz02mm'", 'qq81kz02mm'],
  ['Cookie: sid=u7d6f5s4a3; theme=dark', 'u7d6f5s4a3'],
  ['< set-cookie: session=88ffab01c2; Path=/; HttpOnly', '88ffab01c2'],
  [`Authorization: Bearer ${w(28)}`, w(28)],
  ['authorization: Basic Z2FyZGVuOnBsYW50czEy', 'Z2FyZGVuOnBsYW50czEy'],
  ['Authorization: token 5e6f7a8b9c0d', '5e6f7a8b9c0d'],
  [`npm_${w(36)}`, w(36)],
  [`//registry.npmjs.org/:_authToken=${h(8)}-${h(4)}-4${h(3)}`, `${h(8)}-${h(4)}-4${h(3)}`],
  ['_password = "c2VjcmV0bHk="', 'c2VjcmV0bHk='],
  [`pypi-AgEIcHlwaS5vcmc${w(60)}`, w(60)],
  [`rubygems_${h(48)}`, h(48)],
  [`dckr_pat_${w(27)}`, w(27)],
  ['{"auths":{"ghcr.io":{"auth":"Ym90OmdoLXRva2VuLTk5"}}}', 'Ym90OmdoLXRva2VuLTk5'],
  [`ghs_${w(36)}`, w(36)],
  [`https://${w(24).toLowerCase()}@github.com/a/b.git`, w(24).toLowerCase()],
  [`remote https://oauth2:glpat-${w(20)}@gitlab.com/x`, w(20)],
  [`gldt-${w(20)}`, w(20)],
  [`xapp-1-A0${w(10)}-${'4'.repeat(12)}-${h(20)}`, h(20)],
  [`https://hooks.slack.com/services/T0${w(8).toUpperCase()}/B0${w(8).toUpperCase()}/${w(24)}`, w(24)],
  [`https://discord.com/api/webhooks/110022003300440055/${w(60)}`, w(60)],
  [`ASIA${w(30).toUpperCase().slice(0, 16)}`, w(30).toUpperCase().slice(0, 16)],
  [`"private_key": "-----BEGIN PRIVATE KEY-----\\n${w(60)}\\n-----END PRIVATE KEY-----\\n"`, w(60)],
  [`-----BEGIN OPENSSH PRIVATE KEY-----\n${w(60)}\n-----END OPENSSH PRIVATE KEY-----`, w(60)],
  [`-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${w(60)}\n-----END PGP PRIVATE KEY BLOCK-----`, w(60)],
  [`AIzaSy${w(33)}`, w(33)],
  [`ya29.a0${w(60)}`, w(60)],
  [`client_secret=GOCSPX-${w(28)}`, w(28)],
  [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.${w(43)}`, w(43)],
  ['card 5555 5555 5555 4444 exp 12/29', '5555 5555 5555 4444'],
  ['pan=378282246310005', '378282246310005'],
  ['4111-1111-1111-1111', '4111-1111-1111-1111'],
  [`sk-ant-api03-${w(90)}`, w(90)],
  [`sk-proj-${w(48)}`, w(48)],
  [`hf_${w(34)}`, w(34)],
  [`gsk_${w(52)}`, w(52)],
  [`r8_${w(37)}`, w(37)],
  [`lsv2_pt_${h(32)}_${h(10)}`, h(32)],
  [`tvly-dev-${w(32)}`, w(32)],
  [`e2b_${h(40)}`, h(40)],
  [`fc-${h(32)}`, h(32)],
  [`ABSK${w(60)}`, w(60)],
  [`client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tL${w(60)}`, w(60)],
  [`xai-${w(80)}`, w(80)],
  [`rk_live_${w(24)}`, w(24)],
  [`whsec_${w(32)}`, w(32)],
  [`shpat_${h(32)}`, h(32)],
  [`SG.${w(22)}.${w(43)}`, w(43)],
  [`SK${h(32)}`, h(32)],
  [`key-${h(32)}`, h(32)],
  [`dop_v1_${h(64)}`, h(64)],
  [`hvs.${w(90)}`, w(90)],
  [`pul-${h(40)}`, h(40)],
  [`dapi${h(32)}`, h(32)],
  [`lin_api_${w(40)}`, w(40)],
  [`lin_wh_${w(32)}`, w(32)],
  [`CCIPAT_${w(22)}_${h(40)}`, h(40)],
  [`bkua_${h(40)}`, h(40)],
  [`sqp_${h(40)}`, h(40)],
  [`sgp_${h(16)}_${h(40)}`, h(40)],
  [`pcsk_${w(6)}_${w(50)}`, w(50)],
  [`re_${w(8)}_${w(24)}`, w(24)],
  [`apify_api_${w(36)}`, w(36)],
  [`napi_${w(60)}`, w(60)],
  [`dbtc_${w(40)}`, w(40)],
  [`cfut_${w(40)}`, w(40)],
  [`shippo_live_${h(40)}`, h(40)],
  [`wandb_v1_${w(27)}_${w(43)}`, w(43)],
  [`CFPAT-${w(43)}`, w(43)],
  [`FLWSECK_TEST-${h(32)}-X`, h(32)],
  ['pat-na1-3f2a9c1e-7b4d-4e8f-9a2b-6c1d5e8f7a3b', '6c1d5e8f7a3b'],
  ['xaat-3f2a9c1e-7b4d-4e8f-9a2b-6c1d5e8f7a3b', '6c1d5e8f7a3b'],
  [`sha256~${w(43)}`, w(43)],
  [`glrtr-${w(20)}`, w(20)],
  [`ATTA${h(64)}`, h(64)],
  [`secret-${w(43)}`, w(43)],
  [`https://hooks.zapier.com/hooks/catch/1234567/${w(7)}/`, w(7)],
  [`root:$6$rounds=5000$saltsalt$${w(86)}:19000:0:99999:7:::`, w(86)],
  [`admin:$apr1$abcdefgh$${w(22)}`, w(22)],
  [`$2b$12$${w(53)}`, w(53)],
  [`$argon2id$v=19$m=65536,t=3,p=4$${w(22)}$${w(43)}`, w(43)],
  [`glsa_${w(32)}_${h(8)}`, w(32)],
  [`sntrys_${w(60)}`, w(60)],
  [`tskey-auth-k${w(10)}CNTRL-${w(30)}`, w(30)],
  [`https://api.telegram.org/bot712345678:AA${w(33)}/getMe`, w(33)],
  ['machine api.example.com login bob password gr8Falls', 'gr8Falls'],
  ["CREATE USER shop WITH PASSWORD 'Tul1ps!'", 'Tul1ps!'],
  ["ALTER USER 'root'@'%' IDENTIFIED BY 'n0rthpole'", 'n0rthpole'],
  ['requirepass maplesyrup99', 'maplesyrup99'],
  ['redis-cli -h c -a w4terfall ping', 'w4terfall'],
  ['docker login -u ci -p 0rchard-77 registry.io', '0rchard-77'],
  ['openssl rsa -in k -passin pass:thimble42', 'thimble42'],
  ['ldapsearch -x -D cn=admin -w r1verbank -b dc=x', 'r1verbank'],
  ['The admin password is Meadow_1999 now', 'Meadow_1999'],
  ['password: s3cr3t-garden', 's3cr3t-garden'],
  ['spring.datasource.password=lemonade', 'lemonade'],
  ['SECRET_KEY_BASE=' + h(64), h(64)],
  ['PGPASSWORD=appletree psql -h db', 'appletree'],
  ["JWT_SECRET='orange-peel'", 'orange-peel'],
  ['{\\"clientSecret\\":\\"a~b8Q~xyz\\"}', 'a~b8Q~xyz'],
  ['AWS Secret Access Key [None]: ' + w(40), w(40)],
  ['smtp_pass=Kettle*drum1', 'Kettle*drum1'],
  [`AGE-SECRET-KEY-1${w(58).toUpperCase()}`, w(58).toUpperCase()],
  [`${w(3)}8Q~${w(34)}`, w(34)],
  [`NRAK-${w(27).toUpperCase()}`, w(27).toUpperCase()],
  [`https://${h(32)}@o1.ingest.sentry.io/2`, h(32)],
  ['encryption_key = "k9k9k9k9k9"', 'k9k9k9k9k9'],
  ['passphrase: "rain in spain 9"', 'rain in spain 9'],
  ['api-key=ZX81SPECTRUM48', 'ZX81SPECTRUM48'],
  ['Proxy-Authorization: Basic dXNlcjE6cGFzczE=', 'dXNlcjE6cGFzczE='],
  ['set SLACK_TOKEN=abcde12345', 'abcde12345'],
  ['ENV NPM_TOKEN 77aa88bb99cc', '77aa88bb99cc'],
  ['--set image.auth.password=Cl0ver', 'Cl0ver'],
  ['ansible_become_pass: hedge4hog', 'hedge4hog'],
  ['ftp://anna:pine4pple@files.example', 'pine4pple'],
  ['git clone https://x:Sn0wdrop@git.corp/r', 'Sn0wdrop'],
  ['token: 3f9a-c2d1-77be', '3f9a-c2d1-77be'],
  ["password => 'hunting7'", 'hunting7'],
  ['<password>Tr33house</password>', 'Tr33house'],
  // The word that is searched for begins within another one.
  ['<sshpassword>Tr33house</sshpassword>', 'Tr33house'],
  ['<add key="ApiKey" value="q1w2e3r4t5" />', 'q1w2e3r4t5'],
  ['Enter password: b4rnOwl', 'b4rnOwl'],
  ['-Dspring.security.password=Op3nSesame', 'Op3nSesame'],
  ['$env:API_TOKEN = "pw-55-66"', 'pw-55-66'],
  ['kubectl create secret generic s --from-literal=password=F1reFly', 'F1reFly'],
  ['set PASSWORD "sh0rt"', 'sh0rt'],
  ['Authorization: GenieKey p7-99xk-41ab', 'p7-99xk-41ab'],
  ['Authorization: Splunk 4e1f7c2a', '4e1f7c2a'],
  ['Authorization: Bearer: 8c1d-77aa-q2', '8c1d-77aa-q2'],
  ['curl -su ops:m00nbeam http://host', 'm00nbeam'],
  ['password: str = "orchid77"', 'orchid77'],
  ["const password: string = 'orchid77';", 'orchid77'],
  ['let password: &str = "orchid77";', 'orchid77'],
  ['{"password":["orchid77"]}', 'orchid77'],
  ['api_key=SecretStr("orchid77")', 'orchid77'],
  ['password: Optional("orchid77")', 'orchid77'],
  [`xoxc-${'4'.repeat(12)}-${'5'.repeat(12)}-${h(64)}`, h(64)],
  [`xoxd-${w(60)}%3D`, w(60)],
  [`sk_${h(48)}`, h(48)],
  ['sdk-3f2a9c1e-7b4d-4e8f-9a2b-6c1d5e8f7a3b', '6c1d5e8f7a3b'],
  ['access-production-3f2a9c1e-7b4d-4e8f-9a2b-6c1d5e8f7a3b', '6c1d5e8f7a3b'],
  [`${w(76)}AZDO${w(4)}`, `${w(76)}AZDO`],
  [`${w(76)}+ASt${w(6)}==`, w(76)],
  [`${w(14)}.atlasv1.${w(64)}`, w(64)],
  [`tls.key: LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0t${w(60)}`, w(60)],
  [`.dockerconfigjson: eyJhdXRocyI6eyJyIjp7ImF1dGgi${w(40)}`, w(40)],
];

test.each(printed)('a printed secret is masked: %s', (text, secret) => {
  expect(text).toContain(secret);
  expect(maskSecrets(text)).not.toContain(secret);
  // Also between other lines, and in the JSON of a tool's result.
  expect(maskSecrets(`ok\n${text}\ndone`)).not.toContain(secret);
  expect(maskSecrets(JSON.stringify({ output: `$ env\n${text}\n` }))).not.toContain(secret);
});

it('a printed secret appears in no part of a verdict', () => {
  const seen = printed.filter(([text, secret]) => {
    const verdicts = run(
      Array.from({ length: 5 }, () => call('run', { command: text })),
      {
        tool_call_loop: { mode: 'chance_then_block' },
      },
    );
    expect(verdicts.length).toBeGreaterThan(0);
    return JSON.stringify(verdicts).includes(JSON.stringify(secret).slice(1, -1));
  });
  expect(seen.map(([text]) => text)).toEqual([]);
});

const W = 'hunter2xQ9';
/** Passwords that a command, a pipe, an element or an argument of a function holds without a name beside them. */
test.each([
  `http -a bob:${W} https://x`,
  `lftp -u bob,${W} host`,
  `skopeo copy --src-creds bob:${W} a b`,
  `mongosh "mongodb://h" -u bob -p ${W}`,
  `mongodump -u bob -p${W}`,
  `sqlcmd -S h -U sa -P ${W}`,
  `twine upload -u bob -p ${W} dist/*`,
  `evil-winrm -i h -u bob -p '${W}'`,
  `openssl enc -aes-256-cbc -k ${W} -in a`,
  `unzip -P ${W} a.zip`,
  `7z a -p${W} a.7z b`,
  `sqlplus scott/${W}@orcl`,
  `rabbitmqctl add_user bob ${W}`,
  `cmdkey /add:h /user:bob /pass:${W}`,
  `keytool -genkey -storepass ${W} -keypass ${W}`,
  `plink -pw ${W} bob@h`,
  `echo ${W} | sudo -S ls`,
  `echo '${W}' | docker login -u bob --password-stdin`,
  `echo "bob:${W}" | chpasswd`,
  `kinit bob <<< ${W}`,
  `aws configure set aws_secret_access_key ${W}`,
  `<password type="text">${W}</password>`,
  `<secretKey>${W}</secretKey>`,
  `<property name="db.password">${W}</property>`,
  `requests.get(url, auth=("bob", "${W}"))`,
  `HTTPBasicAuth("bob", "${W}")`,
  `logins ("bob", "${W}")`,
  `auth: { user: 'bob', pass: '${W}' }`,
  `SET PASSWORD FOR bob = '${W}'`,
  `CREATE LOGIN x WITH PASSWORD = N'${W}'`,
  `DB_PASS='two ${W}'`,
  `password: |\n  ${W}\n`,
  `  api_key: >-\n    ${W}\nnext: 1`,
  `const password = \`${W}\`;`,
  `config.setPassword("${W}")`,
  `define('DB_PASSWORD', '${W}');`,
  `variable "db_password" { default = "${W}" }`,
  `variable "db_password" {\n  type = string\n  default = "${W}"\n}`,
  `| password | ${W} |`,
  `db:5432:app:app_user:${W}`,
  `ConvertTo-SecureString '${W}' -AsPlainText -Force`,
  `ConvertTo-SecureString -String "${W}" -AsPlainText`,
  `os.environ["DB_PASSWORD"] = "${W}"`,
  `process.env['DB_PASSWORD'] = '${W}'`,
  `{"key":"DB_PASSWORD","value":"${W}"}`,
  `[{"name":"api_key","type":"secret","value":"${W}"}]`,
  `- name: DB_PASSWORD\n  value: ${W}`,
  `curl -b "sid=${W}" h`,
  `curl --cookie sid=${W} h`,
  `user=a&pass=${W}`,
  `Config { password: Some("${W}") }`,
  `{b'password': b'${W}'}`,
  `DB_PASSWORD ?= ${W}`,
  `DB_PASSWORD=$Zq7z${W}4x`,
  `mysql -p"two ${W}" db`,
])('passwords without a name, also in JSON within JSON: %s', (text) => {
  for (const one of [text, JSON.stringify({ text }), JSON.stringify({ a: JSON.stringify({ text }) })])
    expect(maskSecrets(one)).not.toContain(W);
});

describe.each([
  ['RSA PRIVATE KEY', '-----'],
  ['EC PRIVATE KEY', '-----'],
  ['OPENSSH PRIVATE KEY', '-----'],
  ['ENCRYPTED PRIVATE KEY', '-----'],
  ['PGP PRIVATE KEY BLOCK', '-----'],
  ['SSH2 ENCRYPTED PRIVATE KEY', '---- '],
])('a private key: %s', (name, dashes) => {
  const after = dashes.split('').reverse().join('');
  const begin = `BEGIN ${name}${after}`;
  const end = `${dashes}END ${name}${after}`;

  test.each([
    ['complete', `${dashes}${begin}\n${w(60)}\n${end}`],
    ['without the dashes before it', `${begin}\n${w(60)}\n${end}`],
    ['with fewer of them', `--${begin}\n${w(60)}\n${end}`],
    ['without its end', `${begin}\n${w(60)}`],
    ['cut in its end', `${begin}\n${w(60)}\n${end.slice(0, 12)}`],
  ])('%s', (_, key) => {
    for (const text of [
      key,
      JSON.stringify({ key }),
      JSON.stringify(JSON.stringify({ key })),
      `out:\n${key}`,
    ])
      for (const masked of [maskSecrets(text), maskSecrets(text, undefined, () => undefined)])
        expect(masked).not.toContain(w(20));
  });

  test.each([
    `Chunk ID: ab12\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n`,
    'stdout:\n',
    '',
  ])('in no part of a verdict, whatever frame of its result is removed: %j', (frame) => {
    for (const result of [
      `${frame}${dashes}${begin}\n${w(60)}\n${end}\n`,
      `${frame}${dashes}${begin}\n${w(60)}`,
    ]) {
      const steps = Array.from({ length: 5 }, (_, i) => [
        { ...call('bash', { command: 'cat key' }), callId: String(i) },
        { type: 'tool_result' as const, callId: String(i), result },
      ]);
      const verdicts = run(steps.flat(), { tool_call_loop: { mode: 'chance_then_block' } });
      expect(verdicts.length).toBeGreaterThan(0);
      expect(JSON.stringify(verdicts)).not.toContain(w(12));
    }
  });
});

test.each(['\n', '\\n', '\\\\n', '\r\n'])('the private lines of a key of PuTTY, between %j', (line) => {
  const key = `Private-Lines: 2${line}${w(60)}${line}${w(30)}${line}Private-MAC: 00ff`;
  expect(maskSecrets(key)).not.toContain(w(12));
});

test('a quotation of a private key hides nothing after it', () => {
  expect(maskSecrets(`read “BEGIN PRIVATE KEY----- ${w(20)}…” twice`)).toBe('read “‹masked›” twice');
});

test('the same secrets, in texts that arrive in pieces', () => {
  for (const [text] of printed)
    for (const size of [1, 3, 8]) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
        text.slice(i * size, (i + 1) * size),
      );
      expect(maskPieces(pieces).join('')).toBe(maskSecrets(text));
    }
});

describe('what is no secret stays as it is', () => {
  test.each([
    'def login(password: str, token: Optional[str] = None) -> bool:',
    'const token = tokens[0]; const secret = await getSecret(name);',
    'token=$(cat /run/token) && export API_KEY=${KEY}',
    'api_key=os.environ["API_KEY"]',
    'password = request.form.get("x")',
    'interface A { password: string; apiKey?: string; token: Token }',
    '--password string   Password for the registry',
    '--token TOKEN, --api-key <key>',
    'max_tokens: 4096, total_tokens=18231, "token": 128',
    'Basic functionality works; bearer of good news; token bucket algorithms',
    'docker run -u 1000:1000 -p 8080:80 image',
    'mkdir -p build/output && cp -p source target',
    'docker run -u node -p 3000:3000 image && docker run -u node -p 127.0.0.1:53:53/udp image',
    'python -u train.py -p prod; ps -u root -p 1234; patch -u a.diff -p1',
    'echo done | tee log; echo $PASSWORD | sudo -S ls; sqlplus / as sysdba; sqlplus /nolog',
    'zip -r a.zip dist; 7z x a.7z -obuild; sudo -u postgres psql -p 5432',
    "auth('name', 'read'); publicKey.encrypt(bytes, 'RSA-OAEP'); { pass: 'all', fail: 'none' }",
    'http GET https://x -a; PRAGMA key; <pass>; msbuild /p:Configuration=Release',
    'PWD=/home/me/project',
    'errors["password"] = "is too short"; os.environ["TOKEN"] = value; password: |',
    'const password = `${first}${second}`; setPassword(value2); setToken("abc")',
    'define("PASSWORD_MIN_LENGTH", 12); get("token", "string"); variable "db_password" { type = string }',
    '| password | string | required |',
    '| token | 12.5 |',
    'echo $password | sha256sum | cut -c1-8; first_pass: "gcc 13"; fc-match serif; curl -b cookies.txt h',
    'DB_PASSWORD=$oauth2Token; {"key":"cache","value":"a1b2c3d4"}; host:5432:app; SecureString value',
    'certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURCVENDQWUyZ0F3SUJBZ0k',
    'Begin with a private key; BEGIN PRIVATE KEY is its first line, and -----BEGIN PUBLIC KEY----- that of another',
    'git commit 8d3f0c2b1a7e4d5f6a9b8c7d6e5f4a3b2c1d0e9f',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'id 550e8400-e29b-41d4-a716-446655440000 at 1763757600000123',
    'https://host:8443/path?page=2&sort=key&q=token',
    'order 4111 1111 1111 1112, phone 4930 1234 5678',
    'PASS: test_password_reset (0.02s), bypass=yes, compass: north',
    'authorization: required, cookie: none',
    'Authorization: Negotiation happens below',
    '{"password":["This field is required."]}; token: str = None; password: string;',
    'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURCVEND LS0tLS1CRUdJTiBQVUJMSUMgS0VZLS0tLS0KTUlJQklqQU4',
    'the password is required, the token was refreshed',
    'primary_key=id, foreign_key: users.id, cache_key=v2',
  ])('%s', (text) => {
    expect(maskSecrets(text)).toBe(text);
  });
});

/** Texts on which a pattern that tries every start again would take minutes. */
const piece = [
  'password=',
  'token:',
  'cookie: a=',
  'curl -u a',
  'http -a ',
  ' -u a -p ',
  'echo a | ',
  'zip -P ',
  '<password a',
  'auth("a", "',
  'pass: "',
  'sk-',
  'eyJ-',
  '://a:',
  '-----BEGIN PRIVATE KEY-----',
  'BEGIN PRIVATE KEY ',
  'variable "password" {',
  '("password",',
  '| token | ',
  'token: |\\n ',
  'curl -b a=',
  'name: A_KEY, ',
  'fc-',
  '4111 ',
  'x_',
  '--',
  '"auth": "',
  'login a password ',
  'ALTER USER ',
  'name: A_KEY value',
  'AKIA',
  '\\"',
  'key="',
];
test.each(piece)('masking takes linear time: %s', (part) => {
  const timed = (size: number) => {
    const text = part.repeat(Math.ceil(size / part.length));
    const start = performance.now();
    maskSecrets(text);
    return performance.now() - start;
  };
  timed(20_000);
  expect(timed(400_000)).toBeLessThan(4_000);
});
