#pragma once

#include <string>
#include <vector>

#include "app/serve/page/live_page.h"
#include "app/serve/web/connections.h"
#include "app/serve/web/reception.h"

namespace saccade {

// Answers requests: the page, and what scripts ask for.
class Requests {
public:
    Requests(const ServerOptions& options, const ServerLimits& limits, Reception& reception,
             Connections& connections, Exchange& exchange);

    // These are libwebsockets' callbacks: 0, or -1 to hang up.
    int begin(lws* wsi, const std::string& path);
    int write(lws* wsi);

    // Who waits for a frame is answered if it is there as new as he wants it, or will not be any
    // more.
    bool answer_with_frame(lws* wsi, Connection& c);
    // Something has happened that listeners want to know.
    static void tell(lws* wsi, Connection& c, const std::vector<std::string>& events);
    // A listener who has heard nothing for long hears that; who does not take it is sent away.
    void keep_listening(lws* wsi, Connection& c, double seconds) const;

private:
    void route(lws* wsi, Connection& c, const std::string& path);
    int write_headers(lws* wsi, const Connection& c) const;
    int write_event(lws* wsi, Connection& c);
    int end_answer(lws* wsi, Connection& c);
    std::string metrics() const;

    const ServerLimits limits_;
    const LivePage page_;
    Reception& reception_;
    Connections& connections_;
    Exchange& exchange_;
    std::vector<unsigned char> send_;
};

}  // namespace saccade
