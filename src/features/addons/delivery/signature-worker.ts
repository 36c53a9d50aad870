import { type SignatureTask, signatureOf } from './signature.ts';

/** Signs long messages in a separate thread. */
export default function signatureTask(task: SignatureTask): string {
  return signatureOf(task);
}
