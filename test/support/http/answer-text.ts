/** The text of an answer. A stream of events has no end: it is cancelled, and its text is empty. */
export async function answerText(answer: Response): Promise<string> {
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer.text();
  await answer.body?.cancel();
  return '';
}
