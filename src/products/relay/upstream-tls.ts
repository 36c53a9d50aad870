import { X509Certificate } from 'node:crypto';
import { createSecureContext, rootCertificates, type SecureContextOptions } from 'node:tls';
import { ConfigError } from '../../base/options.ts';
import type { UpstreamTls } from './relay-options.ts';

/** TLS options for connections. */
export function tlsOptions({
  ca,
  certificate,
  key,
  identity,
  passphrase,
  isUnverified,
}: UpstreamTls): SecureContextOptions & { readonly rejectUnauthorized?: false } {
  return {
    ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
    ...(certificate !== undefined && { cert: certificate }),
    ...(key !== undefined && { key }),
    ...(identity !== undefined && { pfx: Buffer.from(identity) }),
    ...(passphrase !== undefined && { passphrase }),
    ...(isUnverified && { rejectUnauthorized: false }),
  };
}

/**
 * Checks the TLS options at the start, because every connection would fail with invalid options. `variableNames`: the variables with which the
 * certificate and the key were set.
 * @throws ConfigError
 */
export function checkTls(
  { ca, certificate, key, identity, ...otherOptions }: UpstreamTls,
  variableNames: { readonly certificate: string; readonly key: string },
): void {
  const context = (tls: UpstreamTls) => () => createSecureContext(tlsOptions({ ...tls, ...otherOptions }));
  if (ca !== undefined) checkUsable('UPSTREAM_CERTIFICATE_FILE', () => new X509Certificate(ca));
  if (certificate !== undefined) checkUsable(variableNames.certificate, context({ certificate }));
  if (certificate !== undefined && key !== undefined) checkUsable(variableNames.key, context({ certificate, key }));
  if (identity !== undefined) checkUsable('PKCS12_IDENTITY_FILE', context({ identity }));
}

function checkUsable(variable: string, use: () => unknown): void {
  try {
    use();
  } catch (error) {
    throw new ConfigError(`${variable}: the content of the file cannot be used: ${(error as Error).message}`);
  }
}
