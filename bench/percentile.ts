/** The value that this share of the sorted ones does not exceed; NaN: there are none. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.floor(share * (sorted.length - 1))] ?? NaN;
}
