/** A path that may break before each slash. */
export function breakable(path: string) {
  return path.split(/(?=\/)/).map((part) => (
    <>
      {part}
      <wbr />
    </>
  ));
}
