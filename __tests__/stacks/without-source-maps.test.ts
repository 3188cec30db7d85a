import { withoutSourceMaps } from "../../stacks/without-source-maps";

afterEach(() => {
  process.setSourceMapsEnabled(false);
});

it("maps no stack trace while a part of a synthesis runs, and maps that of an error afterwards", () => {
  process.setSourceMapsEnabled(true);
  const during = withoutSourceMaps(() => process.sourceMapsEnabled);
  const failing = () =>
    withoutSourceMaps(() => {
      throw new Error("a bug");
    });
  expect(failing).toThrow("a bug");
  expect([during, process.sourceMapsEnabled]).toEqual([false, true]);
});

it("leaves stack traces as they are where nothing maps them", () => {
  process.setSourceMapsEnabled(false);
  withoutSourceMaps(() => "done");
  expect(process.sourceMapsEnabled).toBe(false);
});
