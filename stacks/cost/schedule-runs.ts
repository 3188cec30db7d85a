/** First and last number of each field of a schedule: minute, hour, day of the month, month, day of the week. */
const LIMITS = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

const MONTHS = 12;

/** Month, day of the month and day of the week of each day of a year. */
const DAYS = Array.from({ length: 365 }, (_, day) => new Date(Date.UTC(2026, 0, day + 1))).map((date) => ({
  month: date.getUTCMonth() + 1,
  ofMonth: date.getUTCDate(),
  ofWeek: date.getUTCDay(),
}));

/** Runs of a schedule in a month, on average over a year. */
export function monthlyRuns(schedule: string): number {
  const fields = schedule.split(" ");
  const [minutes, hours, days, months, weekdays] = LIMITS.map(([from, to], field) =>
    numbersOf(fields[field] ?? "*", from, to),
  ) as [Set<number>, Set<number>, Set<number>, Set<number>, Set<number>];
  // If both days are given, cron runs on either.
  const isEither = fields[2] !== "*" && fields[4] !== "*";
  const dates = DAYS.filter(({ month, ofMonth, ofWeek }) => {
    if (!months.has(month)) return false;
    return isEither ? days.has(ofMonth) || weekdays.has(ofWeek) : days.has(ofMonth) && weekdays.has(ofWeek);
  });
  return (dates.length * minutes.size * hours.size) / MONTHS;
}

function numbersOf(field: string, least: number, most: number): Set<number> {
  return new Set(
    field.split(",").flatMap((item) => {
      const [range = "*", step = "1"] = item.split("/");
      const [from = least, to = range === "*" ? most : from] = range === "*" ? [] : range.split("-").map(Number);
      return Array.from({ length: to - from + 1 }, (_, index) => from + index).filter(
        (number) => (number - from) % Number(step) === 0,
      );
    }),
  );
}
