import { monthlyRuns } from "../../../stacks/cost/schedule-runs";

describe("Runs of a schedule in a month", () => {
  it.each([
    ["every day", "30 4 * * *", 365],
    ["every minute", "* * * * *", 365 * 24 * 60],
    ["every ten minutes of one hour a day", "*/10 4 * * *", 365 * 6],
    ["at each number of a list", "0 1,13 * * *", 365 * 2],
    ["in steps of a range", "0 8-18/5 * * *", 365 * 3],
    ["on Sundays", "0 1 * * 0", 52],
    ["on the first of the month", "0 1 1 * *", 12],
    ["in one month", "0 1 * 2 *", 28],
    ["on days of the month and of the week, if both are given", "0 1 1 * 0", 61],
    ["on a day that most years do not have", "0 1 29 2 *", 0],
  ])("are counted %s: %s", (_, schedule, yearly) => {
    expect(monthlyRuns(schedule)).toBeCloseTo(yearly / 12, 9);
  });
});
