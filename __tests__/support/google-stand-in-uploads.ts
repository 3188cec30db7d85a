import { createHash } from "node:crypto";
import { type IncomingMessage } from "node:http";

/** Path of signed URLs on the stand-in. */
export const UPLOAD_PATH = "/signed-upload/";

/** Part of every signed URL and nothing else; must not leak, because the URL allows writing the file. */
export const SIGNATURE_MARK = "5ec2e7516";

/** Headers covered by a signature, as observed. */
const SIGNED_HEADERS = {
  "Content-Type": "application/octet-stream",
  "x-goog-content-length-range": "0,104857600",
} as const;

/** Signed URLs of Cloud Storage and what was written to them. */
export class SignedUploads {
  readonly objects = new Map<string, Buffer>();
  private readonly addresses = new Map<string, string>();

  sign(host: string, object: string) {
    const id = createHash("sha256").update(`${object} ${this.addresses.size}`).digest("hex").slice(0, 16);
    this.addresses.set(id, object);
    const query = `X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-SignedHeaders=content-type%3Bhost&X-Goog-Signature=${SIGNATURE_MARK}${id}`;
    return { signedUri: `http://${host}${UPLOAD_PATH}${id}?${query}`, headers: SIGNED_HEADERS };
  }

  /** A refusal repeats the URL, as Cloud Storage does, which a script must not print. */
  write({ method, headers }: IncomingMessage, url: URL, bytes: Buffer) {
    const id = url.pathname.slice(UPLOAD_PATH.length);
    const object = this.addresses.get(id);
    const signed = Object.entries(SIGNED_HEADERS).every(([name, value]) => headers[name.toLowerCase()] === value);
    const surplus = Object.keys(headers).some((name) => name.startsWith("x-goog-") && !(name in SIGNED_HEADERS));
    const isOurs = url.searchParams.get("X-Goog-Signature") === SIGNATURE_MARK + id;
    if (
      object === undefined ||
      method !== "PUT" ||
      !signed ||
      surplus ||
      !isOurs ||
      headers.authorization !== undefined
    )
      return { status: 403, body: `<Error><Code>SignatureDoesNotMatch</Code><String>${url.href}</String></Error>` };
    this.objects.set(object, bytes);
    return { status: 200, body: "" };
  }
}
