/** The values in random worlds: ordinary ones, and edge cases of every operator. */
export const ASCII_IDS = ['1', '2', '7', 'user-1', 'user-2', 'User-1', 'a@some-EMAIL.com', ' padded ', ''];
export const UNICODE_IDS = [...ASCII_IDS, 'åäö-å', 'user-é', '用户-9', '🙂x'];
export const WORDS = ['eu', 'EU', 'us', 'some', 'email', 'e', 'U', ' ', 'true', '42'];
export const UNICODE_WORDS = [...UNICODE_IDS, ...WORDS, 'ÅÄÖ', 'ö'];
export const NUMBERS = [
  '0',
  '1',
  '-3',
  '2.5',
  '12.0',
  '1e3',
  '0x10',
  ' 7 ',
  '',
  'abc',
  'Infinity',
  '9007199254740993',
  '1,5',
];
export const DATES = [
  '2024-01-01T00:00:00.000Z',
  '2026-11-20T10:00:00.000Z',
  '2026-11-20T12:00:00+02:00',
  '2030-05-05',
  'never',
  '',
];
export const VERSIONS = [
  ...['1.0.0', '1.2.3', '1.2.3-beta.1', '1.2.3-beta.11', '1.2.3-beta', '1.2.3+build.5', '2.0.0', '10.1.0', '0.0.0'],
  ...['v1.2.3', 'v2.0.0', '1.2', '01.2.3', '1.2.3.4', ' 1.2.3 ', 'not a version', '9007199254740993.0.0', '1.2.3-', ''],
];
export const PATTERNS = [
  '^user-\\d$',
  '[[:upper:]]',
  '(?i)EU',
  '(',
  '^a*$',
  '(?=x)',
  '\\bemail\\b',
  'å',
  '(a)\\1',
  '.',
  '',
];
export const ADDRESSES = [
  ...['10.0.0.1', '10.200.3.4', '192.168.1.77', '127.0.0.1', '0.0.0.0', '255.255.255.255', '::1', '::', '2001:db8::1'],
  ...[
    '2001:DB8:0:0::1',
    '2001:db8:0:1::42',
    '::ffff:10.0.0.1',
    '1:2:3:4:5:6:7:8',
    '10.0.0',
    '1.2.3.400',
    'localhost',
    '',
  ],
];
export const RANGES = [
  ...[
    '10.0.0.0/8',
    '10.0.0.1',
    '192.168.1.0/24',
    '192.168.1.64/26',
    '0.0.0.0/0',
    '10.0.0.1/32',
    '1.2.3.4/33',
    '10.0.0.0/',
  ],
  ...[
    '2001:db8::/32',
    '2001:db8::1',
    '::/0',
    '2001:db8:0:1::/63',
    '::1/128',
    '::1/129',
    'localhost',
    '127.invalid',
    ' 127.0.0.1 ',
  ],
];
export const FIELDS = [
  'userId',
  'sessionId',
  'remoteAddress',
  'environment',
  'appName',
  'region',
  'num',
  'version',
  'plan',
  'nosuch',
];
export const INHERITED_FIELDS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
export const STICKINESSES = ['default', 'default', 'random', 'userId', 'sessionId', 'region', 'num', 'nosuch'];
export const PERCENTAGES = ['0', '1', '25', '50', '50.5', '75', '99', '100', '100', '101', '-1', '', 'abc'];
export const TIMES = ['2024-01-01T00:00:00.000Z', '2026-11-20T10:00:00.000Z', '2027-03-01T08:30:00.000Z'];
export const STRATEGIES = [
  ...['flexibleRollout', 'flexibleRollout', 'flexibleRollout', 'default', 'default'],
  ...['userWithId', 'remoteAddress', 'applicationHostname'],
  ...['gradualRolloutUserId', 'gradualRolloutSessionId', 'gradualRolloutRandom', 'custom-of-ours', 'constructor'],
];
