/** Every part of the kit in all of its states. */
export function KitPage() {
  return <main>Kit</main>;
}
