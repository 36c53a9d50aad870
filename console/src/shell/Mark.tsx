/** The burgee: a small flag of a ship. */
export function Mark({ size = 20 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden fill="none">
      <path d="M4 2v16" stroke="currentColor" strokeWidth="1.75" strokeLinecap="round" />
      <path d="M5 3.5 17 7.5 5 11.5Z" fill="var(--accent)" />
    </svg>
  );
}
