import { useEffect, useState } from 'react';

/** What is typed into a control of a value that is read from the server: it is set when typing pauses, or at once by `setNow`. */
export function useTyped(value: string, set: (value: string) => void, pauseMs: number) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => set(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text, value, set, pauseMs]);
  const setNow = () => {
    if (text !== value) set(text);
  };
  return { text, setText, setNow };
}

/** The value when it has stayed the same for a while, such as what the server is asked about while it is typed. */
export function useSettled<T>(value: T, pauseMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}
