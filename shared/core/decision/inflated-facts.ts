// Facts as development versions stored them for a while: compressed with a dictionary. They are only read.
import { Buffer } from 'node:buffer';
import { inflateRawSync } from 'node:zlib';

const USUAL = Buffer.from(
  '{"agent":{"attributes":{},"capabilities":[],"id":"agent-","registered":true,"status":"ACTIVE","tags":[]},"client":{"address":"127.0.0.1"},"context":{"amount":,"environment":"production"},"environment":"test"' +
    ',"history":{"last_1h":{"ALLOW":0,"DEGRADE":0,"DENY":0,"ESCALATE":0},"last_24h":{"ALLOW":0,"DEGRADE":0,"DENY":0,"ESCALATE":0},"last_60s":{"ALLOW":0,"DEGRADE":0,"DENY":0,"ESCALATE":0}}' +
    ',"intent":{"action":"read","confidence":1,"coverage":1,"data_classes":[],"depth":3,"domain":"","effect":"read","entities":{"emails":[],"hosts":[],"identifiers":[],"money":[],"paths":[],"urls":[]},"extent":"one","flags":[],"normalized":".write.","object":"","parsed":false,"places":[],"requested":{"intent":":"},"resource":"","risk":{"factors":[],"level":"low","score":0},"traits":[],"verb":"delete"}' +
    ',"key":{"bound":false,"environment":"live","id":"","tags":[]},"organisation":{"slug":"default"},"time":{"date":"2026-","hour":1,"minute_of_day":,"now":"2026-","weekday":}' +
    ',"trust":{"claimed":{"level":,"score":},"level":1,"recorded":{"level":1,"score":250},"score":250,"uncertainty":1}}' +
    '{"agent":{"capabilities":[],"id":"","registered":false,"status":"UNREGISTERED","tags":[]},"client":{"address":"127.0.0.1"},"context":{},"environment":"live"',
);

/** Undefined when the bytes are damaged, or hold more than `maxBytes`. @param stored the first byte is the mark of this form */
export function inflatedFacts(stored: Buffer, maxBytes: number): Buffer | undefined {
  try {
    return inflateRawSync(stored.subarray(1), { windowBits: 12, dictionary: USUAL, maxOutputLength: maxBytes });
  } catch {
    return undefined;
  }
}
