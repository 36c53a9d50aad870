/** `read`, but a text that comes again at once is not read again: rules about one field come one after the other. `read` must depend on the text alone. */
export function readingOnce<Value>(read: (text: string) => Value): (text: string) => Value {
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
