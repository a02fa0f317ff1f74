import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnCli, tempDir } from '@loopwatch/testkit';
import { expect, it } from 'vitest';
import { authority, startMailServer } from '../../../server/test/notifications/mail-server.ts';

it.each(['starttls', 'tls'])(
  'loopwatch notify test: logs in to a mail server, encrypted by %s',
  async (encryption) => {
    await using dir = await tempDir();
    const file = join(dir.path, 'authority.pem');
    await writeFile(file, authority.certificate);
    await using server = await startMailServer({ secure: encryption === 'tls' });
    const entry = {
      name: 'mail',
      type: 'email',
      host: '127.0.0.1',
      port: server.port,
      encryption,
      user: 'loops',
      password_env: 'MAIL_PASSWORD',
      from: 'loops@example.com',
      to: 'ops@example.com',
    };
    await using cli = spawnCli(['notify', 'test', 'mail'], {
      LOOPWATCH_NOTIFICATIONS: JSON.stringify([entry]),
      MAIL_PASSWORD: 'right',
      NODE_EXTRA_CA_CERTS: file,
    });
    expect({ status: await cli.exited, stdout: cli.stdout, stderr: cli.stderr }).toEqual({
      status: 0,
      stdout: ['mail: delivered'],
      stderr: [],
    });
    expect(server.mails).toMatchObject([{ user: 'loops', secure: true, to: ['ops@example.com'] }]);
    expect(server.mails[0]?.text).toContain('Subject: Test message to the receiver mail: delivery works');
  },
);
