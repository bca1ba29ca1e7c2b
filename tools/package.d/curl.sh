#!/usr/bin/env bash
# libcurl with HTTP, TLS, proxies and nothing else, from Debian's sources and with their patches: installs its headers and its
# archive in the directory.
#
# usage: curl.sh DIRECTORY
set -euo pipefail

installed=$(realpath -m "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$installed"
python3 -B "$(dirname "${BASH_SOURCE[0]}")/../shared.d/apt.py" curl "$work"
cd "$work"
dpkg-source --extract ./curl_*.dsc source >/dev/null
cd source
# Certificates are found as OpenSSL finds them, as everywhere in hipcache.
./configure --quiet --prefix="$installed" --disable-shared --enable-static --with-pic CFLAGS="-O2 -ffile-prefix-map=$PWD=curl" \
  --with-openssl --without-ca-bundle --without-ca-path --with-ca-fallback \
  --disable-{alt-svc,cookies,dict,doh,file,ftp,gopher,hsts,imap,ldap,ldaps,libcurl-option,manual,mqtt,netrc,ntlm,ntlm-wb} \
  --disable-{pop3,rtsp,smb,smtp,telnet,tftp,tls-srp,websockets} \
  --without-{brotli,gssapi,libidn2,libpsl,librtmp,libssh2,nghttp2,zlib,zstd}
make --silent -j"$(nproc)" -C lib install
make --silent -C include install
