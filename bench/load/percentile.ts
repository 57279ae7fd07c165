/** The value that this share of the values does not exceed; NaN: there are none. */
export function percentile(values: ArrayLike<number>, share: number): number {
  return Float64Array.from(values).sort()[Math.floor(share * (values.length - 1))] ?? NaN;
}
