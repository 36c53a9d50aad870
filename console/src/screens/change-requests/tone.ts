import type { Tone } from '../../kit/Badge.tsx';

const TONES: Readonly<Record<string, Tone>> = {
  Draft: 'neutral',
  'In review': 'accent',
  Approved: 'good',
  Scheduled: 'warn',
  Applied: 'good',
  Rejected: 'bad',
  Cancelled: 'neutral',
};

export const toneOf = (state: string): Tone => TONES[state] ?? 'neutral';
