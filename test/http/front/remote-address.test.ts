import { expect, it } from 'vitest';
import { addressText } from '../../../src/http/front/fast/remote-address.ts';

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['0000:0000:0000:0000:0000:ffff:7f00:0001', '127.0.0.1'],
  ['0000:0000:0000:0000:0000:ffff:c0a8:0aff', '192.168.10.255'],
  ['0000:0000:0000:0000:0000:0000:0000:0001', '::1'],
  ['2001:0db8:0000:0000:0000:0000:0000:00a1', '2001:db8::a1'],
  // Only a whole mapped address is one of IPv4.
  ['0001:0000:0000:0000:0000:ffff:7f00:0001', '1::ffff:7f00:1'],
  // Not an address: it is kept as it is.
  ['fe80:no', 'fe80:no'],
  ['', ''],
])('the address %s of uWebSockets.js is %s', (sent, expected) => {
  const bytes = Uint8Array.from(Buffer.from(sent, 'latin1')).buffer;
  expect(addressText(bytes)).toBe(expected);
});
