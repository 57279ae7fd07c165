/**
 * The figures of /api/insights in plain TypeScript, as docs/insights.md defines them, computed from
 * the snapshots themselves; the tests compare the server with it.
 */

/** The fields of a release in a snapshot that the figures depend on. */
export interface ModelItem {
  release_item_id: string;
  feature_name: string;
  product_name: string;
  release_date: string | null;
  release_status: string;
  release_type: string;
}

export interface ModelSnapshot {
  asOf: string;
  items: readonly ModelItem[];
}

interface State extends ModelItem {
  day: string;
}

const isStopped = ({ release_status }: State) => release_status === "Cancelled";

interface Release {
  states: State[];
  now: State;
  active: boolean;
}

const isShipped = ({ release_status }: State) => release_status === "Shipped";
const isPreview = (state: State) =>
  state.release_status === "In beta" || isShipped(state) && state.release_type.includes("Preview");
const isGeneral = (state: State) => isShipped(state) && !state.release_type.includes("Preview");

/** The figures as of a day, with dates as the variant shows them. */
export function modelInsights(
  snapshots: readonly ModelSnapshot[],
  { today, variant, product }: { today: string; variant: "a" | "b"; product: string | null },
) {
  const show = (date: string | null) => date && variant === "a" ? quarterName(quarter(date)) : date;
  const unit = (date: string) => variant === "a" ? quarter(date) : date;
  const current = quarter(today);
  const releases = follow(snapshots)
    .filter(({ active }) => variant === "a" || active)
    .filter(({ now }) => product === null || now.product_name === product);

  const facts = releases.map((release) => {
    const { states, now, active } = release;
    const dates = states.flatMap(({ release_date }) => release_date ?? []);
    const moves = dates.filter((date, place) =>
      place > 0 && unit(date) !== unit(dates[place - 1]!)
    ).length;
    const promise = states.find((state) =>
      state.release_date !== null && !isShipped(state) && !isStopped(state)
    );
    const delivery = states.findLast((state, place) =>
      place > 0 && isShipped(state) && !isShipped(states[place - 1]!)
    );
    const toPreview = states.findIndex(isPreview);
    const wasSeen = toPreview > 0;
    const left = states.find((state, place) => place > toPreview && isGeneral(state));
    return {
      now,
      active,
      moves,
      firstDate: dates[0] ?? null,
      promised: promise?.release_date ?? null,
      promisedOn: promise?.day ?? null,
      deliveredOn: isShipped(now) ? delivery?.day ?? null : null,
      previewDays: wasSeen && left ? daysBetween(states[toPreview]!.day, left.day) : null,
      previewDaysSoFar: wasSeen && !left && active && !isStopped(now)
        ? daysBetween(states[toPreview]!.day, today)
        : null,
      cameToPreview: wasSeen,
    };
  });
  type Fact = (typeof facts)[number];

  const read = quarter(snapshots.at(-1)!.asOf);
  const due = facts.filter(({ promised }) =>
    promised !== null && quarter(promised) >= current - 12 && quarter(promised) < current
  );
  const countPromises = (all: readonly Fact[]) => {
    const seen = all.filter(({ promised, promisedOn }) =>
      quarter(promisedOn!) <= quarter(promised!)
    );
    const some = seen.filter(({ promised }) => read > quarter(promised!));
    const count = (wanted: string) => some.filter((fact) => outcome(fact) === wanted).length;
    const slips = some.flatMap((fact) => {
      const { promised, deliveredOn, now } = fact;
      if (deliveredOn !== null) return quarter(deliveredOn) - quarter(promised!);
      if (outcome(fact) === "dropped") return [];
      const planned = now.release_date === null ? read : quarter(now.release_date);
      return Math.max(planned, read) - quarter(promised!);
    });
    const [earlier, inQuarter] = [count("earlier"), count("in_quarter")];
    return {
      due: some.length,
      in_time: earlier + inQuarter,
      earlier,
      in_quarter: inQuarter,
      late: count("late"),
      moved: count("moved"),
      open: count("open"),
      dropped: count("dropped"),
      too_early: seen.length - some.length,
      not_watched: all.length - seen.length,
      share_in_time: some.length === 0
        ? null
        : Math.round((earlier + inQuarter) / some.length * 10_000) / 10_000,
      median_slip_quarters: median(slips),
    };
  };
  const byProduct = (some: readonly Fact[]) =>
    [...Map.groupBy(some, ({ now }) => now.product_name)].sort(([a], [b]) => a < b ? -1 : 1);
  const tell = ({ now, active }: Fact) => ({
    release_item_id: now.release_item_id,
    feature_name: now.feature_name,
    product_name: now.product_name,
    release_status: now.release_status,
    release_date: show(now.release_date),
    active,
  });

  const moved = facts.filter(({ moves }) => moves > 0);
  const slipOf = ({ now, firstDate }: Fact) =>
    now.release_date === null ? null : quarter(now.release_date) - quarter(firstDate!);
  const size = (slip: number | null) => slip === null ? -1 : Math.abs(slip);
  const shippedNow = facts.filter(({ deliveredOn }) =>
    deliveredOn !== null && quarter(deliveredOn) === current
  );
  const plannedNow = facts.filter(({ now, active }) =>
    active && !isShipped(now) && !isStopped(now) && now.release_date !== null &&
    quarter(now.release_date) === current
  );
  const countPreview = (some: readonly Fact[]) => {
    const days = some.flatMap(({ previewDays }) => previewDays ?? []);
    const soFar = some.flatMap(({ previewDaysSoFar }) => previewDaysSoFar ?? []);
    return {
      finished: days.length,
      median_days: median(days),
      current: soFar.length,
      median_days_so_far: median(soFar),
    };
  };
  const previews = facts.filter(({ cameToPreview }) => cameToPreview);

  const watched = { source: "default", from: snapshots[0]!.asOf, to: snapshots.at(-1)!.asOf };

  return {
    as_of: today,
    watched: releases.length === 0 ? [] : [watched],
    promises: {
      from: quarterName(current - 12),
      to: quarterName(current - 1),
      ...countPromises(due),
      by_quarter: Array.from({ length: 12 }, (_, place) => current - 12 + place).map((number) => ({
        quarter: quarterName(number),
        ...countPromises(due.filter(({ promised }) => quarter(promised!) === number)),
      })),
      by_product: byProduct(due)
        .map(([product_name, some]) => ({ product_name, ...countPromises(some) }))
        .filter((counts) => counts.due > 0)
        .sort((a, b) => b.due - a.due),
    },
    moved: {
      total: moved.length,
      releases: moved.sort((a, b) =>
        size(slipOf(b)) - size(slipOf(a)) || b.moves - a.moves ||
        (a.now.release_item_id < b.now.release_item_id ? -1 : 1)
      ).slice(0, 10).map((fact) => ({
        ...tell(fact),
        moves: fact.moves,
        first_release_date: show(fact.firstDate),
        slip_quarters: slipOf(fact),
      })),
    },
    shipped: {
      quarter: quarterName(current),
      total: shippedNow.length,
      planned: plannedNow.length,
      by_product: byProduct([...shippedNow, ...plannedNow]).map(([product_name, some]) => ({
        product_name,
        shipped: some.filter((fact) => shippedNow.includes(fact)).length,
        planned: some.filter((fact) => plannedNow.includes(fact)).length,
      })).sort((a, b) => b.shipped - a.shipped || b.planned - a.planned),
      releases: shippedNow.sort((a, b) =>
        a.deliveredOn === b.deliveredOn
          ? a.now.release_item_id < b.now.release_item_id ? -1 : 1
          : a.deliveredOn! < b.deliveredOn!
          ? 1
          : -1
      ).slice(0, 10).map((fact) => ({
        ...tell(fact),
        delivered_on: fact.deliveredOn,
        first_promised: show(fact.promised),
      })),
    },
    preview: {
      ...countPreview(previews),
      by_product: byProduct(previews)
        .map(([product_name, some]) => ({ product_name, ...countPreview(some) }))
        .sort((a, b) => b.finished + b.current - a.finished - a.current),
    },
  };
}

/** The history of each release, from snapshot to snapshot. */
function follow(snapshots: readonly ModelSnapshot[]): Release[] {
  const releases = new Map<string, Release>();
  for (const { asOf, items } of snapshots) {
    for (const release of releases.values()) release.active = false;
    for (const item of items) {
      const state = { ...item, day: asOf };
      const release = releases.get(item.release_item_id) ??
        { states: [], now: state, active: true };
      release.states.push(state);
      release.now = state;
      release.active = true;
      releases.set(item.release_item_id, release);
    }
  }
  return [...releases.values()];
}

function outcome(
  { promised, deliveredOn, active, now }: {
    promised: string | null;
    deliveredOn: string | null;
    active: boolean;
    now: State;
  },
): string {
  if (deliveredOn === null) {
    if (!active || isStopped(now)) return "dropped";
    return (now.release_date !== null && quarter(now.release_date) !== quarter(promised!))
      ? "moved"
      : "open";
  }
  const slip = quarter(deliveredOn) - quarter(promised!);
  return slip < 0 ? "earlier" : slip > 0 ? "late" : "in_quarter";
}

function quarter(date: string): number {
  return Number(date.slice(0, 4)) * 4 + Math.floor((Number(date.slice(5, 7)) - 1) / 3);
}

function quarterName(number: number): string {
  return `Q${number % 4 + 1} ${Math.floor(number / 4)}`;
}

function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000;
}

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}
