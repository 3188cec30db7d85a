import { report, type Figure } from "./figure";

const SYNTHESIS: Figure = {
  name: "synthesis / empty app",
  ours: "310 ms",
  peer: "150 ms",
  ratio: "2.07 x",
  goal: "at most 2.5 x",
  reached: true,
};
const SUITE: Figure = { name: "npm test", ours: "31 s", peer: "", ratio: "", goal: "at most 25 s", reached: false };

describe("The report of the measurements", () => {
  it("is a success when every goal is reached", () => {
    expect(report([SYNTHESIS]).exitCode).toBe(0);
  });

  it("is a failure when one goal is missed, and shows all figures", () => {
    expect(report([SYNTHESIS, SUITE])).toEqual({
      text: [
        "figure                 ours    peer    ratio   goal",
        "synthesis / empty app  310 ms  150 ms  2.07 x  at most 2.5 x  reached",
        "npm test               31 s                    at most 25 s   missed",
        "",
      ].join("\n"),
      exitCode: 1,
    });
  });
});
