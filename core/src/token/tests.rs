//! Held to values computed elsewhere: by Python's `hmac` and `hashlib`, by mcpkit, and RFC 7515.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::*;

/// As mcpkit minted it, recorded in `fixtures/mcpsnoop/real/mk-01-deploy-signed.jsonl`.
const MINTED: &str = "PBUttWfep2k80OosGh9YJMQsQX1ofZD56M8sgZGFjZI.\
                      eyJ0b29sIjoiZGVwbG95X3RvX2F3cyIsImV4cCI6MTc5NjA3NTc2Mn0";
const MINTED_KEY: &[u8] = b"hopscope-test-key";
/// RFC 7515, appendix A.1.
const JWT: &str = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\
                   eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.\
                   dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const JWT_KEY: &str =
    "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow";

#[test]
fn fingerprints_are_the_head_of_sha_256() {
    assert_eq!(fingerprint("st-1"), "6d1bfe75");
    assert_eq!(fingerprint(MINTED), "8e466481");
    assert_eq!(fingerprint("zürich"), "201f10d5");
    assert_eq!(fingerprint(""), "e3b0c442");
}

#[test]
fn what_mcpkit_minted_is_read_and_verified() {
    let token = Token::read(MINTED);
    assert_eq!(token.layout, Layout::SignatureFirst);
    assert_eq!(token.payload.as_deref(), Some(r#"{"tool":"deploy_to_aws","exp":1796075762}"#));
    assert_eq!(token.claims.tool.as_deref(), Some("deploy_to_aws"));
    assert_eq!(token.claims.expires, Some(1_796_075_762));
    assert_eq!(token.verify(MINTED_KEY), Verdict::Signed(Over::Payload));
    assert_eq!(token.verify(b"another"), Verdict::Not);
    assert_eq!(token.verify(b""), Verdict::Not);
    // One second longer, under the old signature.
    let longer = MINTED.replace("Mn0", "M30");
    let changed = Token::read(&longer);
    assert_eq!(changed.claims.expires, Some(1_796_075_763));
    assert_eq!(changed.verify(MINTED_KEY), Verdict::Not);
}

#[test]
fn plaintext_is_read_and_has_nothing_to_verify() {
    let token = Token::read("eyJ0b29sIjoiZGVwbG95X3RvX2F3cyIsImV4cCI6MTc5NjE2MTI3NH0");
    assert_eq!((token.layout, token.claims.expires), (Layout::Encoded, Some(1_796_161_274)));
    assert_eq!(token.verify(MINTED_KEY), Verdict::NotApplicable);
    let plain = Token::read(r#"{"step":1.5,"answered":{"a":{},"b":1}}"#);
    assert_eq!(plain.layout, Layout::Json);
    assert_eq!(plain.claims.answered, ["a", "b"]);
    // Standard base64 with padding is read too.
    assert_eq!(Token::read("eyJhIjoiPz8/In0=").payload.as_deref(), Some(r#"{"a":"???"}"#));
}

#[test]
fn a_jwt_is_verified_when_it_is_hs256() {
    let token = Token::read(JWT);
    assert_eq!((token.layout, token.algorithm()), (Layout::Jwt, Some("HS256")));
    assert_eq!(token.claims.expires, Some(1_300_819_380));
    let key = KeyForm::Base64.read(JWT_KEY).unwrap();
    assert_eq!(token.verify(&key), Verdict::Signed(Over::Before));
    assert_eq!(token.verify(JWT_KEY.as_bytes()), Verdict::Not);
    let other = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJib29rIiwiZXhwIjoxNzg1MjQwMDYwfQ.\
                 eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHg";
    assert_eq!(Token::read(other).verify(&key), Verdict::NotApplicable);
}

#[test]
fn a_signature_behind_is_found_by_what_it_signs() {
    let head = "v1.eyJwIjp7InN0ZXAiOjF9LCJleHAiOjE3OTYwNjk1MDZ9";
    for (signature, over) in [
        ("PXYtRXWZaRnYJF-m3XmzdA6H6uSUEpb3RvsPueAmHZ8", Over::Before),
        ("7_3lCrf2LcGmTGjP2eRZx1gdhIKdTyAWP_wDsyzkTgE", Over::Encoded),
    ] {
        let token = Token::read(&format!("{head}.{signature}"));
        assert_eq!(token.layout, Layout::SignatureLast);
        assert_eq!(token.payload.as_deref(), Some(r#"{"p":{"step":1},"exp":1796069506}"#));
        assert_eq!(token.verify(b"k"), Verdict::Signed(over));
    }
}

#[test]
fn what_cannot_be_read_is_opaque() {
    for state in [
        "",
        ".",
        "..",
        "st-1",
        "v1.invented",
        "[REDACTED]",
        "e30.e30",
        "{\"open\":",
        "{}x",
        "bnVsbA",
    ] {
        let token = Token::read(state);
        assert_eq!((token.layout, token.payload.as_deref()), (Layout::Opaque, None), "{state}");
        assert_eq!(token.verify(MINTED_KEY), Verdict::NotApplicable, "{state}");
    }
}

#[test]
fn keys_are_read_as_they_were_typed() {
    assert_eq!(KeyForm::Text.read(" a ").unwrap(), b" a ");
    assert_eq!(KeyForm::Hex.read("00fF ").unwrap(), [0, 255]);
    for bad in ["", "0", "0g"] {
        assert!(KeyForm::Hex.read(bad).is_err(), "{bad}");
    }
    assert_eq!(KeyForm::Base64.read("_w==").unwrap(), KeyForm::Base64.read("/w").unwrap());
    assert!(KeyForm::Base64.read("?").is_err());
}

#[test]
fn a_difference_is_told_by_its_first_character() {
    assert_eq!(differ_at("same", "same"), None);
    assert_eq!(differ_at("zürich", "zürIch"), Some(4));
    assert_eq!(differ_at("abc", "ab"), Some(3));
    assert_eq!(differ_at("", "x"), Some(1));
}
