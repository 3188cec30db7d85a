// The framework records where each token was created; Jest would map every line of that to its source, for minutes.
jest.mock("cdktf/lib/tokens/private/stack-trace", () => ({ captureStackTrace: () => [] }));
