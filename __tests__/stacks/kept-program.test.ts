import { settle, SmallCheckout } from "./small-checkout";

describe("A kept program", () => {
  it("runs without the bundler until a file of it changes", async () => {
    const checkout = new SmallCheckout();
    await settle();
    expect(await checkout.run()).toEqual({ output: "Hello Ann", bundlings: 2 });
    expect(await checkout.run()).toEqual({ output: "Hello Ann", bundlings: 0 });
    checkout.write("lib/who.ts", 'export const who: string = "Eve";');
    expect(await checkout.run()).toEqual({ output: "Hello Eve", bundlings: 1 });
  });
});
