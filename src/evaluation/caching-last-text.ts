/**
 * Returns `read` with a cache for the last text, because the rules about one field are evaluated in sequence. The result of `read` must depend only
 * on the text.
 */
export function cachingLastText<Value>(read: (text: string) => Value): (text: string) => Value {
  let lastText: string | undefined;
  let lastValue: Value | undefined;
  return (text) => {
    if (text !== lastText) {
      lastValue = read(text);
      lastText = text;
    }
    return lastValue as Value;
  };
}
