/** The text of an answer. Of a stream of events, which has no end, nothing: it is left. */
export async function answerText(answer: Response): Promise<string> {
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer.text();
  await answer.body?.cancel();
  return '';
}
