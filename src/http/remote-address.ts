const MAPPED_V4 = /^(?:0{4}:){5}ffff:([0-9a-f]{2})([0-9a-f]{2}):([0-9a-f]{2})([0-9a-f]{2})$/;

/** The address as people write it: uWS spells IPv6 out in full and wraps IPv4 into it. */
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
