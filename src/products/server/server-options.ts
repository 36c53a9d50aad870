import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { AllowedAddresses } from '../../base/network/address-ranges.ts';
import { TrustedProxies } from '../../base/network/trusted-proxies.ts';
import { ConfigError } from '../../base/options.ts';
import type { Config } from '../../config.ts';
import type { Replica } from '../../engine/replica.ts';
import type { Services } from '../../features/services.ts';
import { type ChosenFront, chooseFront, FrontError } from '../../http/front/choose.ts';
import type { IpFilter } from '../../http/ip-filter.ts';
import type { RevisionSource } from '../../http/min-revision.ts';
import type { ServerOptions } from '../../http/server.ts';
import { FRONT_OPTIONS } from '../../model/options/front.ts';

/** The options of the server. @throws ConfigError */
export function serverOptions({ config, clock, frontendOrigins, propagation, telemetry }: Services): ServerOptions {
  return {
    front: frontOf(config),
    host: config.host,
    port: config.port,
    sharePort: config.sharePort,
    basePath: config.basePath,
    frontendOrigins,
    proxies: trustedProxies(config),
    ipFilter: ipFilterOf(config),
    tls: tlsOptions(config),
    crossOriginMaxAgeSeconds: config.crossOriginMaxAgeSeconds,
    logRequests: config.logsRequests || config.logLevel === 'debug',
    bodyLimitBytes: config.bodyLimitBytes,
    importBodyLimitBytes: config.importBodyLimitBytes,
    handlerDeadlineMs: config.handlerDeadlineMs,
    clock,
    drainMs: config.gracefulShutdownTimeoutMs,
    propagation,
    writes: telemetry?.tracesWrites ? telemetry : undefined,
  };
}

/** The HTTP server that the options choose. @throws ConfigError if it has no binary for this process */
export function frontOf({ httpFront, keepAliveSeconds }: Config): ChosenFront {
  try {
    return chooseFront(httpFront === 'auto' ? undefined : httpFront, { keepAliveMs: keepAliveSeconds * 1_000 });
  } catch (error) {
    if (error instanceof FrontError) throw new ConfigError(error.message);
    throw error;
  }
}

/** Checks the options that the server has from the environment. @throws ConfigError */
export function checkServerOptions(config: Config): void {
  frontOf(config);
  trustedProxies(config);
  ipFilterOf(config);
  tlsOptions(config);
}

/** Why the Node front is used although no option chooses it: one sentence for operators; undefined if this is not the case. */
export function frontNotice({ reason }: ChosenFront): string | undefined {
  return reason === undefined
    ? undefined
    : `serving HTTP with the server of Node, which needs more CPU for each request: ${reason} (docs/start/fronts.md)`;
}

/** Warnings about options that have no effect with the chosen front. @throws ConfigError */
export function frontWarnings(config: Config): readonly string[] {
  const isDefault = config.keepAliveSeconds === Number(FRONT_OPTIONS.keepAliveSeconds.default);
  if (isDefault || frontOf(config).kind === 'node') return [];
  return [
    'SERVER_KEEPALIVE_TIMEOUT has no effect: the fast front closes connections without a request after 8 to 12 seconds. Set HTTP_FRONT=node to use ' +
      'the option, or remove it and set the timeouts of your proxies as docs/operate/operations.md says at "Kept connections"',
  ];
}

/** @throws ConfigError */
function trustedProxies({ trustProxy, serviceUrl }: Config): TrustedProxies {
  try {
    return new TrustedProxies(trustProxy, /^https:/i.test(serviceUrl));
  } catch (error) {
    throw new ConfigError(`TRUSTED_PROXIES (TRUST_PROXY): ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

/** Undefined when every address is allowed and the token is in its usual header. @throws ConfigError */
function ipFilterOf({ allowList, denyList, tokenHeader: header }: Config): IpFilter | undefined {
  const tokenHeader = header.toLowerCase() === 'authorization' ? '' : header.toLowerCase();
  if (allowList.length === 0 && denyList.length === 0 && tokenHeader === '') return undefined;
  if (!/^[\w-]*$/.test(tokenHeader))
    throw new ConfigError(`EDGE_AUTH_HEADER must be the name of a header, not "${header}"`);
  try {
    const addresses = new AllowedAddresses(allowList, denyList);
    return {
      ...(allowList.length + denyList.length > 0 && { addresses }),
      ...(tokenHeader !== '' && { tokenHeader }),
    };
  } catch (error) {
    throw new ConfigError(`ALLOW_LIST or DENY_LIST: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

/**
 * The TLS options; undefined when TLS is off. An invalid key or certificate is refused here with a reason, because uWebSockets.js would refuse it
 * without one.
 * @throws ConfigError
 */
function tlsOptions({ tlsEnabled, tlsHost, host, port, tlsPort, tlsKeyFile, tlsCertificateFile }: Config) {
  if (!tlsEnabled) return undefined;
  if (tlsPort === port && port !== 0)
    throw new ConfigError(`HTTP_PORT and TLS_SERVER_PORT are both ${port}: HTTP and HTTPS need different ports`);
  const key = readPem(tlsKeyFile, 'TLS_SERVER_KEY');
  const cert = readPem(tlsCertificateFile, 'TLS_SERVER_CERT');
  try {
    createSecureContext({ key, cert });
  } catch (error) {
    const { message } = error as Error;
    throw new ConfigError(`TLS_SERVER_KEY and TLS_SERVER_CERT are no key and its certificate: ${message}`);
  }
  return { host: tlsHost || host, port: tlsPort, keyFile: tlsKeyFile, certificateFile: tlsCertificateFile };
}

function readPem(file: string, variable: string): Buffer {
  if (file === '') throw new ConfigError(`TLS_ENABLE needs ${variable}, the path of a PEM file`);
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ConfigError(`${variable} cannot be read: ${(error as Error).message}`);
  }
}

/** The revisions of this replica, for which a request waits for at most `timeoutMs`. */
export function revisionSource(replica: Replica, timeoutMs: number): RevisionSource {
  return {
    get current() {
      return replica.state.seq;
    },
    wait(revision) {
      // Another replica has already shown this revision to the caller, so the notification about it may have been lost.
      replica.catchUp().catch(() => {});
      return replica.waiters.wait(revision, timeoutMs);
    },
  };
}
