#include "remote/trust/trust.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/config/values.h"
#include "remote/layout/sha256.h"

namespace hipcache::remote {

namespace {

constexpr std::string_view kDomain = "hipcache.result.signature.1";
constexpr std::uint64_t kFileLimit = 64u << 10;
constexpr const char* kMake = "; openssl genpkey -algorithm ed25519 -out FILE makes a key";

const unsigned char* bytes_of(const std::string& text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::string signed_bytes(const Digest& key, const RemoteResult& result) {
  std::string bytes(kDomain);
  bytes.push_back('\0');
  bytes.push_back('r');
  bytes.append(key.view());
  return bytes + result.action;
}

// As ssh does. A file of another owner, root say, may be meant for a group that we belong to.
Status check_access(const std::string& name, const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return Error{name + " is no file"};
  const mode_t refused = status.st_uid == geteuid() ? S_IRWXG | S_IRWXO : S_IRWXO;
  if ((status.st_mode & refused) != 0)
    return Error{name + " is a private key that others may read or write; chmod 600 " + name};
  return done();
}

Result<std::string> read_private(const std::string& path, const std::string& name) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status{};
  if (!file || fstat(file.get(), &status) != 0) {
    const Error error = system_error("cannot read", name);
    return Error{error.message + (error.code == ErrorCode::gone ? kMake : "")};
  }
  if (Status good = check_access(name, status); !good) return good.error();
  return read_fd(file.get(), kFileLimit, name);
}

}  // namespace

Result<SigningKey> SigningKey::read(const std::string& path) { return read(path, path); }

Result<SigningKey> SigningKey::read(const std::string& path, const std::string& name) {
  Result<std::string> pem = read_private(path, name);
  if (!pem) return pem.error();
  const Owned<BIO> bio(BIO_new_mem_buf(pem->data(), static_cast<int>(pem->size())));
  const std::shared_ptr<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr),
                                      OpensslFree());
  OPENSSL_cleanse(pem->data(), pem->size());
  if (!key) return Error{name + " holds no private key in PEM, or one with a passphrase" + kMake};
  if (EVP_PKEY_get_id(key.get()) != EVP_PKEY_ED25519) return Error{name + " is no ed25519 key" + kMake};
  std::string public_key(Signature::kKeySize, '\0');
  std::size_t size = public_key.size();
  if (EVP_PKEY_get_raw_public_key(key.get(), reinterpret_cast<unsigned char*>(public_key.data()), &size) != 1 ||
      size != public_key.size())
    return Error{name + " has no public key" + kMake};
  return SigningKey(key, std::move(public_key));
}

Result<Signature> SigningKey::sign(const Digest& key, const RemoteResult& result) const {
  const std::string bytes = signed_bytes(key, result);
  Signature signature{.key = public_key_, .bytes = std::string(Signature::kSize, '\0')};
  std::size_t size = signature.bytes.size();
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) != 1 ||
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.bytes.data()), &size, bytes_of(bytes),
                     bytes.size()) != 1 ||
      size != signature.bytes.size())
    return Error{"a result could not be signed"};
  return signature;
}

bool has_valid_signature(const Digest& key, const RemoteResult& result) {
  if (!result.signature) return false;
  const Signature& signature = *result.signature;
  const Owned<EVP_PKEY> signer(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(signature.key), signature.key.size()));
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  const std::string bytes = signed_bytes(key, result);
  return signer && context && EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, signer.get()) == 1 &&
         EVP_DigestVerify(context.get(), bytes_of(signature.bytes), signature.bytes.size(), bytes_of(bytes),
                          bytes.size()) == 1;
}

std::string shown_public_key(const std::string& path, const SigningKey& key) {
  std::string name(base_name(path));
  if (const auto dot = name.find_last_of('.'); dot != std::string::npos && dot > 0) name.resize(dot);
  const auto is_plain = [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '.' || letter == '_' || letter == '-';
  };
  std::replace_if(name.begin(), name.end(), std::not_fn(is_plain), '-');
  std::array<unsigned char, 4 * ((Signature::kKeySize + 2) / 3) + 1> text{};
  EVP_EncodeBlock(text.data(), bytes_of(key.public_key()), static_cast<int>(Signature::kKeySize));
  return name + ":" + reinterpret_cast<const char*>(text.data());
}

// A key that cannot be parsed is dropped: then too little is trusted, never too much.
Trust::Trust(const std::vector<std::string>& trusted_keys, const std::string& signing_key) {
  for (const std::string& text : trusted_keys)
    if (const Result<config::TrustedKey> parsed = config::parse_trusted_key(text)) trusted_.insert(parsed->key);
  const bool checks = !trusted_keys.empty() || !signing_key.empty();
  if (checks && trusted_.empty())
    why_not_read_ =
        "signing_key is set and trusted_keys is empty, so no result can be taken; list this machine's own "
        "key there, too: hipcache --public-key FILE";
  if (checks && signing_key.empty())
    why_not_written_ = "trusted_keys is set and signing_key is not; results are not written without a signature";
  is_in_trouble_ = !why_not_read_.empty();
  if (signing_key.empty()) return;
  Result<SigningKey> key = SigningKey::read(signing_key, "its file");
  if (key) {
    signing_ = std::move(*key);
    return;
  }
  why_not_written_ = "signing_key: " + key.error().message;
  is_in_trouble_ = true;
}

Verdict Trust::judge(const Digest& key, const RemoteResult& result) const {
  if (trusted_.empty() && why_not_read_.empty()) return Verdict::trusted;
  if (!result.signature) return Verdict::not_signed;
  const bool is_known = trusted_.contains(result.signature->key);
  return is_known && has_valid_signature(key, result) ? Verdict::trusted : Verdict::untrusted;
}

Status Trust::sign(const Digest& key, RemoteResult& result) const {
  if (!signing_) return done();
  Result<Signature> signature = signing_->sign(key, result);
  if (!signature) return signature.error();
  result.signature = std::move(*signature);
  return done();
}

}  // namespace hipcache::remote
