#!/usr/bin/env bash
# libcurl with HTTP, TLS, proxies and nothing else, from Debian's sources and with their patches. For those who source this file.

# build_curl DIRECTORY: installs its headers and its archive there.
build_curl() {
  need dpkg-source dpkg-dev
  local lists=$work/apt
  mkdir -p "$lists/lists/partial" "$1"
  (
    # shellcheck disable=SC1091
    . /etc/os-release
    for suite in "$VERSION_CODENAME" "$VERSION_CODENAME-updates"; do
      echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $suite main"
    done >"$lists/sources.list"
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian-security" \
      "$VERSION_CODENAME-security main" >>"$lists/sources.list"
  )
  (
    cd "$lists"
    local apt=(apt-get -qq -o "Dir::Etc::SourceList=$lists/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$lists/lists"
      -o APT::Sandbox::User=root)
    "${apt[@]}" update
    "${apt[@]}" source --download-only curl
    dpkg-source --extract ./curl_*.dsc source >/dev/null
    cd source
    # Certificates are found as OpenSSL finds them, as everywhere in hipcache.
    ./configure --quiet --prefix="$1" --disable-shared --enable-static --with-pic CFLAGS="-O2 -ffile-prefix-map=$PWD=curl" \
      --with-openssl --without-ca-bundle --without-ca-path --with-ca-fallback \
      --disable-{alt-svc,cookies,dateparse,dict,doh,file,ftp,gopher,hsts,imap,ldap,ldaps,libcurl-option,manual,mqtt,netrc,ntlm,ntlm-wb} \
      --disable-{pop3,rtsp,smb,smtp,telnet,tftp,tls-srp,unix-sockets,websockets} \
      --without-{brotli,gssapi,libidn2,libpsl,librtmp,libssh2,nghttp2,zlib,zstd}
    make --silent -j"$(nproc)" -C lib install
    make --silent -C include install
  )
}
