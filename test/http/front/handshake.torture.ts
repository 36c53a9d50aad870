import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { FRONTS } from '../../support/http/front.ts';
import { selfSigned } from '../../support/programs/certificate.ts';
import { startTestService } from '../../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'burgee-handshake-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const keyFile = join(folder, 'key.pem');
const certificateFile = join(folder, 'certificate.pem');
const { key, certificate } = selfSigned('localhost');
writeFileSync(keyFile, key);
writeFileSync(certificateFile, certificate);

/** The fronts wait for some ten seconds. The time limit of the tests notices a connection that stays open. */
it.each(FRONTS)(
  'a connection whose caller does not begin the handshake of TLS is closed, on the %s front',
  async (front) => {
    const env = {
      HTTP_FRONT: front,
      TLS_ENABLE: 'true',
      TLS_SERVER_PORT: '0',
      TLS_SERVER_KEY: keyFile,
      TLS_SERVER_CERT: certificateFile,
    };
    const service = await startTestService({ env });
    const socket = connect(service.running.tlsPort ?? 0, '127.0.0.1');
    const received: Buffer[] = [];
    socket.on('data', (piece) => received.push(piece));
    socket.on('error', () => {});
    await new Promise((resolve) => socket.on('close', resolve));
    expect(Buffer.concat(received).toString('latin1')).not.toContain('HTTP/1.1');
    await service.close();
  },
);
