import { useEffect, useRef, useState } from 'react';
import { inSlices, type Steps } from '../domain/steps.ts';

interface Result<T> {
  /** What it is the result of. */
  readonly key: string;
  readonly value: T;
}

/**
 * The latest result of work in slices; undefined before the first. A new key ends the work that runs. With the same key and other data (a new `start`), it
 * ends first and then starts again: data that changes often keeps no result away.
 */
export function useInSlices<T extends object>(key: string, start: () => Steps<T>): Result<T> | undefined {
  const [result, setResult] = useState<Result<T>>();
  const next = useRef(start);
  const running = useRef<{ readonly key: string; readonly stop: AbortController } | null>(null);
  useEffect(() => {
    next.current = start;
    if (running.current?.key === key) return;
    running.current?.stop.abort();
    const own = { key, stop: new AbortController() };
    running.current = own;
    const run = async () => {
      let from: typeof start;
      do {
        from = next.current;
        const value = await inSlices(from(), own.stop.signal);
        if (value === undefined || own.stop.signal.aborted) return;
        setResult({ key, value });
      } while (next.current !== from);
      running.current = null;
    };
    void run();
  }, [key, start]);
  useEffect(
    () => () => {
      running.current?.stop.abort();
      running.current = null;
    },
    [],
  );
  return result;
}
