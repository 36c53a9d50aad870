import { invalid, type Rejection } from '../../base/rejection.ts';

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Largest body of a form. A SAML response of about 150 KB fits, although browsers escape some characters of base64. */
export const FORM_BYTES_MAX = 256 * 1024;

/** Maximum number of fields. Every form of Burgee has fewer. */
const FIELDS_MAX = 20;

/** The fields of a form by their names. A form with the same field twice is refused, because it would not be clear which one counts. */
export function parseForm(bytes: Uint8Array): { readonly value: Readonly<Record<string, string>> } | Rejection {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const fields = new Map<string, string>();
  if (text.split('&', FIELDS_MAX + 1).length > FIELDS_MAX) return invalid('The form has too many fields.');
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) return invalid(`The form has the field ${name.slice(0, 100)} twice.`);
    fields.set(name, value);
  }
  return { value: Object.fromEntries(fields) };
}
