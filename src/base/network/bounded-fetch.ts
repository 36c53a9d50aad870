/** `fetch` with a limit on the size of the answer, whose body is read whole. @throws Error also for an answer that is too large */
export async function boundedFetch(url: string, options: RequestInit, bytesMax: number): Promise<Response> {
  const response = await fetch(url, options);
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > bytesMax) throw new Error(`the response of ${url} is too large`);
    chunks.push(chunk);
  }
  const { status, headers } = response;
  const isBodyless = status === 204 || status === 304;
  return new Response(isBodyless ? null : Buffer.concat(chunks), { status, headers });
}
