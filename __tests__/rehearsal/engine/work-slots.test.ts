import { NotBegun, together, WorkSlots } from "./work-slots";

/** Work that ends on request. */
function heldWork(): { readonly work: () => Promise<void>; readonly end: () => void; begun: boolean } {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const held = {
    begun: false,
    end,
    work: () => {
      held.begun = true;
      return ended;
    },
  };
  return held;
}

/** Lets all pending promises settle. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const fail = (message: string) => () => Promise.reject(new Error(message));

describe("Slots for work", () => {
  it("let three work at a time, and the next as soon as one has ended", async () => {
    const slots = new WorkSlots();
    const works = [heldWork(), heldWork(), heldWork(), heldWork()];
    const all = together(works.map(({ work }) => slots.take(work)));
    await settle();
    expect(works.map(({ begun }) => begun)).toEqual([true, true, true, false]);

    works[1]?.end();
    await settle();
    expect(works.map(({ begun }) => begun)).toEqual([true, true, true, true]);

    works.forEach(({ end }) => {
      end();
    });
    await all;
  });

  it("start nothing after a failure", async () => {
    const slots = new WorkSlots();
    const late = heldWork();
    await expect(slots.take(fail("first"))).rejects.toThrow("first");

    await expect(slots.take(late.work)).rejects.toThrow(NotBegun);
    expect(late.begun).toBe(false);
  });
});

describe("Parts together", () => {
  it("wait for what is under way when another has failed", async () => {
    const slots = new WorkSlots();
    const slow = heldWork();
    let isOver = false;
    const all = together([slots.take(slow.work), slots.take(fail("soon"))]).finally(() => {
      isOver = true;
    });
    await settle();
    expect(isOver).toBe(false);

    slow.end();
    await expect(all).rejects.toThrow("soon");
  });

  it("report the first of their list that has failed itself, and not what was therefore not begun", async () => {
    const slots = new WorkSlots();
    const parts = [heldWork(), heldWork(), heldWork()];
    const all = together([
      ...parts.slice(0, 2).map(({ work }) => slots.take(work)),
      slots.take(() => (parts[2]?.work() ?? Promise.resolve()).then(fail("under way"))),
      slots.take(() => Promise.resolve()),
    ]);
    parts[2]?.end();
    await settle();
    parts.forEach(({ end }) => {
      end();
    });

    await expect(all).rejects.toThrow("under way");
    await expect(together([slots.take(() => Promise.resolve()), fail("second")()])).rejects.toThrow("second");
  });
});
