import { prose } from "../../lib/core/prose";

describe("A text over several lines", () => {
  it("has one space for each line break and its indentation", () => {
    const name = "region";
    expect(prose`
      ${name} is wrong;
      it must be
        ${"another"}
      one
    `).toBe("region is wrong; it must be another one");
  });

  it("keeps what is embedded, line breaks and escapes included", () => {
    expect(prose`
      first ${"a\n  b"} and \`c\`,
      \${d}
    `).toBe("first a\n  b and `c`, ${d}");
  });
});
