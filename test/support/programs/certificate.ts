import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { getOrMake } from '../../../src/base/get-or-make.ts';

/** How each kind of key is made, and how a certificate names its signature with SHA-256. */
const KINDS = {
  ec: {
    make: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    algorithm: Buffer.from('300a06082a8648ce3d040302', 'hex'),
  },
  rsa: {
    make: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
    algorithm: Buffer.from('300d06092a864886f70d01010b0500', 'hex'),
  },
};
const COMMON_NAME = Buffer.from('0603550403', 'hex');

/** A private key, and a certificate that it signed itself, as PEM. */
export interface SelfSigned {
  readonly key: string;
  readonly certificate: string;
}

/** The tests of one process share the keys of a name. */
const made = new Map<string, SelfSigned>();

/** A key and an X.509 certificate of it, valid around now. Each name has its own. An RSA key takes a quarter of a second: it is for signatures of SAML. */
export function selfSigned(name: string, kind: keyof typeof KINDS = 'ec'): SelfSigned {
  return getOrMake(made, `${kind} ${name}`, () => makeSelfSigned(name, kind));
}

function makeSelfSigned(name: string, kind: keyof typeof KINDS): SelfSigned {
  const { privateKey, publicKey } = KINDS[kind].make();
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const der = certificateOf(name, KINDS[kind].algorithm, privateKey, publicKey).toString('base64');
  const lines = der.match(/.{1,64}/g) ?? [];
  return { key, certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n` };
}

function certificateOf(name: string, algorithm: Buffer, privateKey: KeyObject, publicKey: KeyObject): Buffer {
  const subject = tlv(0x30, tlv(0x31, tlv(0x30, COMMON_NAME, tlv(0x0c, Buffer.from(name)))));
  const dayMs = 86_400_000;
  const validity = tlv(0x30, ...[-dayMs, 365 * dayMs].map((ms) => tlv(0x18, timeOf(new Date(Date.now() + ms)))));
  const content = tlv(
    0x30,
    tlv(0x02, Buffer.from([1])),
    algorithm,
    subject,
    validity,
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  return tlv(0x30, content, algorithm, tlv(0x03, Buffer.from([0]), sign('sha256', content, privateKey)));
}

/** YYYYMMDDHHMMSSZ */
function timeOf(time: Date): Buffer {
  return Buffer.from(`${time.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`);
}

/** One element of DER. */
function tlv(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
