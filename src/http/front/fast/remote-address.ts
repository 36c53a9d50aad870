const MAPPED_V4 = /^(?:0{4}:){5}ffff:([0-9a-f]{2})([0-9a-f]{2}):([0-9a-f]{2})([0-9a-f]{2})$/;

/** The address in the usual short form: uWS writes IPv6 addresses in full, and IPv4 addresses as IPv6. */
export function addressText(bytes: ArrayBuffer): string {
  const text = Buffer.from(bytes).toString('latin1');
  if (!text.includes(':')) return text;
  const mapped = MAPPED_V4.exec(text);
  if (mapped)
    return mapped
      .slice(1)
      .map((hex) => Number.parseInt(hex, 16))
      .join('.');
  try {
    return new URL(`http://[${text}]`).hostname.slice(1, -1);
  } catch {
    return text;
  }
}
